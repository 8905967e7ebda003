package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOwnFiles(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{"a.go": "a"})
	own := w.Own()
	if _, err := own.Read("chat.md"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before anything was written: %v", err)
	}
	if diff := cmp.Diff(map[string]string{"a.go": "a"}, contents(t, dir)); diff != "" {
		t.Errorf("reading made something:\n%s", diff)
	}
	for _, text := range []string{"one", "two"} {
		abs, uri, err := own.Write("plans/0001-r1.md", []byte(text))
		if err != nil || abs != filepath.Join(dir, ".redline", "plans", "0001-r1.md") || uri != own.URI("plans/0001-r1.md") {
			t.Fatalf("wrote %s, %s, %v", abs, uri, err)
		}
		if data, err := own.Read("plans/0001-r1.md"); string(data) != text || err != nil {
			t.Errorf("read %q, %v", data, err)
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, ".redline", ".gitignore"), []byte("mine\n"), 0o644))
	if _, _, err := own.Write("chat.md", []byte("hello")); err != nil {
		t.Error(err)
	}
	want := map[string]string{
		"a.go": "a", ".redline/.gitignore": "mine\n", ".redline/plans/0001-r1.md": "two", ".redline/chat.md": "hello",
	}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"", ".", "../a.go", "/etc/x", "a/../b", "plans/"} {
		_, _, err := own.Write(name, nil)
		wantRefusal(t, name, err, "not a name")
		_, err = own.Read(name)
		wantRefusal(t, name, err, "not a name")
	}
}

func TestOwnIgnoresItself(t *testing.T) {
	w, dir := newWorkspace(t, nil)
	_, _, err := w.Own().Write("chat.md", nil)
	must(t, err)
	if got := contents(t, dir)[".redline/.gitignore"]; got != "chat.md\nplans/\n.gitignore\n" {
		t.Errorf(".gitignore is %q", got)
	}
}

func TestOwnNames(t *testing.T) {
	one, two := newTree(t, nil), newTree(t, nil)
	state := newTree(t, nil)
	w := New([]Folder{{Dir: one, Name: "one"}}, Options{StateDir: state})
	own := w.Own()
	for _, s := range []string{".redline/chat.md", uriOfDir(one, windows) + "/.redline/chat.md", own.URI("chat.md"), own.Path("chat.md")} {
		if name, ok := own.Is(s); !ok || name != "chat.md" {
			t.Errorf("Is(%q) = %q, %v", s, name, ok)
		}
	}
	for _, s := range []string{"a.go", "sub/.redline/chat.md", ".redline", "", "untitled:x", uriOfDir(two, windows) + "/.redline/chat.md", uriOfDir(state, windows) + "/x"} {
		if name, ok := own.Is(s); ok {
			t.Errorf("Is(%q) = %q", s, name)
		}
	}
	w.AddFolder(Folder{Dir: two, Name: "two"})
	if got := own.Path("chat.md"); got != "one/.redline/chat.md" {
		t.Errorf("path is %q", got)
	}
	if _, ok := own.Is("two/.redline/chat.md"); ok {
		t.Error("the second folder's file is Redline's")
	}
	w.Open(uriOfDir(one, windows)+"/%2Eredline/chat.md", "markdown", 1, "")
	if got, want := own.URI("chat.md"), uriOfDir(one, windows)+"/%2Eredline/chat.md"; got != want {
		t.Errorf("URI is %q, want %q", got, want)
	}
	if b, ok := w.Buffer("one/.redline/chat.md"); !ok || b.Path != own.Path("chat.md") {
		t.Errorf("the open chat file is %+v", b)
	}
}

func TestOwnWhereTheWorkspaceCannotBeWritten(t *testing.T) {
	cases := map[string]func(t *testing.T, dir, outside string){
		"a link out":    func(t *testing.T, dir, outside string) { link(t, outside, filepath.Join(dir, ".redline")) },
		"a link inside": func(t *testing.T, dir, _ string) { link(t, "src", filepath.Join(dir, ".redline")) },
		"a file":        func(t *testing.T, dir, _ string) { writeTree(t, dir, map[string]string{".redline": "x"}) },
		"a linked folder": func(t *testing.T, dir, outside string) {
			must(t, os.Mkdir(filepath.Join(dir, ".redline"), 0o755))
			link(t, outside, filepath.Join(dir, ".redline", "plans"))
		},
		"a linked file": func(t *testing.T, dir, outside string) {
			writeTree(t, dir, map[string]string{".redline/plans/": ""})
			link(t, filepath.Join("..", "..", "src", "a.go"), filepath.Join(dir, ".redline", "plans", "0001-r1.md"))
		},
		"a read-only folder": func(t *testing.T, dir, _ string) {
			if os.Geteuid() == 0 {
				t.Skip("permissions do not bind root: run this test as another user")
			}
			must(t, os.Chmod(dir, 0o555))
			t.Cleanup(func() { os.Chmod(dir, 0o755) })
		},
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			dir, outside, state := newTree(t, map[string]string{"src/a.go": "a"}), newTree(t, map[string]string{"x": "x"}), newTree(t, nil)
			prepare(t, dir, outside)
			before := [2]map[string]string{shot(t, dir), shot(t, outside)}
			w := New([]Folder{{Dir: dir}}, Options{})
			if _, _, err := w.Own().Write("plans/0001-r1.md", nil); err == nil {
				t.Error("written without a state directory")
			}
			w = New([]Folder{{Dir: dir}}, Options{StateDir: state})
			abs, uri, err := w.Own().Write("plans/0001-r1.md", []byte("plan"))
			must(t, err)
			if diff := cmp.Diff(before, [2]map[string]string{shot(t, dir), shot(t, outside)}); diff != "" {
				t.Errorf("the workspace changed:\n%s", diff)
			}
			if rel, err := filepath.Rel(state, abs); err != nil || !filepath.IsLocal(rel) {
				t.Errorf("it went to %s", abs)
			}
			again := New([]Folder{{Dir: dir}}, Options{StateDir: state}).Own()
			if data, err := again.Read("plans/0001-r1.md"); string(data) != "plan" || err != nil {
				t.Errorf("read back %q, %v", data, err)
			}
			if name, ok := again.Is(uri); !ok || name != "plans/0001-r1.md" {
				t.Errorf("Is(%q) = %q, %v", uri, name, ok)
			}
			if exists, _, err := w.Stat(".redline/plans/0001-r1.md"); err == nil && !exists && again.URI("plans/0001-r1.md") != uri {
				t.Errorf("URI is %q, want %q", again.URI("plans/0001-r1.md"), uri)
			}
		})
	}
}

// What Redline writes about the user's files quotes them, so only the user may read it,
// even if an earlier version, or an editor, has allowed others to.
func TestOwnFilesAreTheUsersAlone(t *testing.T) {
	if windows {
		t.Skip("files have no such modes here")
	}
	w, dir := newWorkspace(t, map[string]string{".redline/chat.md": "old"})
	for _, name := range []string{"plans/0001-r1.md", "chat.md", "trace.md"} {
		if _, _, err := w.Own().Write(name, []byte("new")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, ".redline", name))
		must(t, err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", name, info.Mode().Perm())
		}
	}
	info, err := os.Stat(filepath.Join(dir, ".redline", ".gitignore"))
	must(t, err)
	if info.Mode().Perm()&0o400 == 0 || info.Mode().Perm() == 0o600 {
		t.Errorf(".gitignore has mode %o", info.Mode().Perm())
	}
}

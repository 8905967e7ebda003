package workspace

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPathOf(t *testing.T) {
	w := New([]Folder{{Dir: "/ws/my dir"}}, Options{})
	for uri, want := range map[string]string{
		"file:///ws/my%20dir/a/b.go":          "a/b.go",
		"file:///ws/my dir/a.go":              "a.go",
		"FILE:///ws/my%20dir/a.go":            "a.go",
		"file:/ws/my%20dir/a.go":              "a.go",
		"file://localhost/ws/my%20dir/a.go":   "a.go",
		"file:///ws/my%20dir/%c3%A4%25%23.go": "ä%#.go",
		"file:///ws/my%20dir/a%0Ab":           "a\nb",
		"file:///ws/my%20dir/a#b?c":           "a#b?c",
		"file:///ws/my%20dir/x/../a.go":       "a.go",
		"file:///ws/my%20dir":                 ".",
		"file:///ws/my%20dir/":                ".",
		"file:///ws/my%20dir/..a":             "..a",
	} {
		if got, ok := w.PathOf(uri); !ok || got != want {
			t.Errorf("PathOf(%q) = %q, %v; want %q", uri, got, ok, want)
		}
	}
	for _, uri := range []string{
		"", "a.go", "/ws/my dir/a.go", "untitled:Untitled-1", "file:", "file://", "file:a.go", "file://host",
		"file://host/ws/my%20dir/a.go", "file:///ws/my%20dirx/a.go", "file:///ws", "file:///ws/my%20dir/../b.go",
		"file:///ws/my%20dir/%00", "file:///ws/my%20dir/%2", "file:///ws/my%20dir/%zz", "vscode-remote://x/ws/my%20dir/a.go",
		"file:///" + strings.Repeat("a/", 1<<20),
	} {
		if got, ok := w.PathOf(uri); ok {
			t.Errorf("PathOf(%q) = %q, want none", uri, got)
		}
	}
}

func TestDriveLetters(t *testing.T) {
	for _, uri := range []string{"file:///c%3A/My%20Dir/a.go", "file:///C:/My%20Dir/a.go", "file:///c:/My Dir/a.go"} {
		if got, ok := decode(uri, true); !ok || got != "C:/My Dir/a.go" {
			t.Errorf("decode(%q) = %q, %v", uri, got, ok)
		}
	}
	if got := uriOfDir(`C:\My Dir`, true); got != "file:///c%3A/My%20Dir" {
		t.Errorf("uriOfDir = %q", got)
	}
}

func TestURIKeepsTheClientsSpelling(t *testing.T) {
	w := New([]Folder{{URI: "file:///ws/%61pi/"}, {Dir: "/ws/web ui"}}, Options{})
	check := func(path, want string) {
		t.Helper()
		if got := w.URI(path); got != want {
			t.Errorf("URI(%q) = %q, want %q", path, got, want)
		}
	}
	check("api/a b.go", "file:///ws/%61pi/a%20b.go")
	check("web ui/ä(1).go", "file:///ws/web%20ui/%C3%A4%281%29.go")
	check("web ui", "file:///ws/web%20ui")
	check("elsewhere/a.go", "")
	w.Open("file:///ws/web ui/a+b.go", "go", 1, "")
	check("web ui/a+b.go", "file:///ws/web ui/a+b.go")
	w.Close("file:///ws/web ui/a+b.go")
	check("web ui/a+b.go", "file:///ws/web%20ui/a%2Bb.go")
}

func TestPathOfURIIsThePath(t *testing.T) {
	part := rapid.OneOf(
		rapid.StringMatching(`[a-zA-Z0-9 %#?&+@!;:=~\n\t'"<>()\[\]{}|^$\\-]{1,12}`),
		rapid.StringN(1, 8, 40),
	).Filter(func(s string) bool { return !strings.ContainsAny(s, "/\x00") && s != "." && s != ".." })
	if windows {
		part = rapid.StringMatching(`[a-z0-9 %#&+@äß]{1,12}x`)
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(part, 1, 4)
		join := func(label string) string { return path.Join(parts.Draw(t, label)...) }
		w := New([]Folder{{Dir: "/" + join("one")}, {Dir: "/other/" + join("two"), Name: "two"}}, Options{})
		if rapid.Bool().Draw(t, "single") {
			w.SetFolders(w.Folders()[:1])
		}
		p := join("path")
		if !w.Single() {
			p = w.Folders()[rapid.IntRange(0, len(w.Folders())-1).Draw(t, "folder")].Name + "/" + p
		}
		uri := w.URI(p)
		if got, ok := w.PathOf(uri); !ok || got != p {
			t.Fatalf("PathOf(%q) = %q, %v; want %q", uri, got, ok, p)
		}
	})
}

func TestFolderThroughLinks(t *testing.T) {
	dir := newTree(t, map[string]string{"real/ws/a.go": "a", "real/ws/sub/": "", "real/b.go": "b"})
	link(t, filepath.Join(dir, "real"), filepath.Join(dir, "alias"))
	under := func(parts ...string) string {
		return uriOfDir(filepath.Join(append([]string{dir}, parts...)...), windows)
	}
	for _, folder := range []string{"real", "alias"} {
		w := New([]Folder{{Dir: filepath.Join(dir, folder, "ws")}}, Options{})
		for _, client := range []string{"real", "alias"} {
			for _, p := range []string{"a.go", "sub/new.go", "new/dir/b.go"} {
				if got, ok := w.PathOf(under(client, "ws", p)); !ok || got != p {
					t.Errorf("folder by %s, client by %s: PathOf(%s) = %q, %v", folder, client, p, got, ok)
				}
			}
			if got, ok := w.PathOf(under(client, "b.go")); ok {
				t.Errorf("folder by %s, client by %s: b.go is inside as %q", folder, client, got)
			}
		}
	}
	must(t, os.Remove(filepath.Join(dir, "alias")))
}

func FuzzPathOf(f *testing.F) {
	for _, seed := range []string{"file:///ws/a.go", "file:///ws/%2e%2e/x", "file:///c%3A/x", "file://///ws//a", "file:///ws/%", "untitled:1", "file:///ws/a/../../ws/b", "file:///ws/\xff%ff"} {
		f.Add(seed)
	}
	w := New([]Folder{{Dir: "/ws"}}, Options{})
	f.Fuzz(func(t *testing.T, uri string) {
		p, ok := w.PathOf(uri)
		if ok && (p != path.Clean(p) || path.IsAbs(p) || p == ".." || strings.HasPrefix(p, "../")) {
			t.Errorf("PathOf(%q) = %q, which leads out", uri, p)
		}
	})
}

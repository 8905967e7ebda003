package workspace

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestList(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{
		"a.go": "", "b.ts": "", "cmd/x/main.go": "", "cmd/y.go": "", "docs/a b.md": "", ".git/x": "", ".redline/chat.md": "",
		".gitignore": "build/\n", "build/out.go": "", ".env": "", "src/{a}.go": "",
	})
	link(t, "a.go", filepath.Join(dir, "link.go"))
	link(t, "..", filepath.Join(dir, "cmd", "loop"))
	link(t, "/etc", filepath.Join(dir, "etc"))
	w.Open(w.URI("cmd/new.go"), "go", 1, "typed")
	w.Open(w.URI("build/new.go"), "go", 1, "ignored")
	w.Open(w.URI(".redline/chat.md"), "markdown", 1, "own")
	draft := Overlay{"cmd/y.go": {Deleted: true}, "drafted/z.go": {Text: "z"}, "a.go": {Text: "a"}, "build/wanted.go": {Text: "w"}}

	for _, c := range []struct {
		dir, glob string
		overlay   Overlay
		want      []string
	}{
		{"", "", nil, []string{".gitignore", "a.go", "b.ts", "cmd/new.go", "cmd/x/main.go", "cmd/y.go", "docs/a b.md", "src/{a}.go"}},
		{".", "*.go", nil, []string{"a.go", "cmd/new.go", "cmd/x/main.go", "cmd/y.go", "src/{a}.go"}},
		{"", "**/*.go", draft, []string{"a.go", "build/wanted.go", "cmd/new.go", "cmd/x/main.go", "drafted/z.go", "src/{a}.go"}},
		{"cmd", "", draft, []string{"cmd/new.go", "cmd/x/main.go"}},
		{"cmd", "x/*", nil, []string{"cmd/x/main.go"}},
		{"cmd", "cmd/*.go", nil, []string{"cmd/new.go", "cmd/y.go"}},
		{"", "./cmd/*", nil, []string{"cmd/new.go", "cmd/y.go"}},
		{"", "*.{ts,md}", nil, []string{"b.ts", "docs/a b.md"}},
		{"drafted", "", draft, []string{"drafted/z.go"}},
		{"build", "", nil, []string{"build/out.go"}}, // named, so it is looked into
		{"", "*.rs", nil, nil},
	} {
		got, left, err := w.List(t.Context(), c.dir, c.glob, c.overlay, 0)
		if diff := cmp.Diff(c.want, got); diff != "" || left != 0 || err != nil {
			t.Errorf("List(%q, %q): %d left, %v, (-want +got):\n%s", c.dir, c.glob, left, err, diff)
		}
	}
	for dir, reason := range map[string]string{
		"none": "does not exist", "a.go": "is a file", ".git": ".git", ".redline": "Redline's own", "etc": "leads out", "..": "not a path",
	} {
		_, _, err := w.List(t.Context(), dir, "", nil, 0)
		wantRefusal(t, dir, err, reason)
	}
	_, _, err := w.List(t.Context(), "", "[", nil, 0)
	wantRefusal(t, "[", err, "not a valid glob")
	if got, left, err := w.List(t.Context(), "", "*.go", nil, 2); len(got) != 2 || got[1] != "cmd/new.go" || left != 3 || err != nil {
		t.Errorf("with a limit: %v, %d left, %v", got, left, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := w.List(ctx, "", "", nil, 0); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestListSeveralFolders(t *testing.T) {
	api := newTree(t, map[string]string{"a.go": "", "web/b.go": "", ".gitignore": "*.tmp\n", "x.tmp": ""})
	lib := newTree(t, map[string]string{"x.tmp": "", "cmd/c.go": ""})
	w := New([]Folder{{Dir: api, Name: "api"}, {Dir: lib, Name: "lib"}, {Dir: filepath.Join(api, "web"), Name: "web"}, {Dir: "/no/such", Name: "gone"}}, Options{})
	for glob, want := range map[string][]string{
		"":         {"api/.gitignore", "api/a.go", "lib/cmd/c.go", "lib/x.tmp", "web/b.go"},
		"cmd/*.go": {"lib/cmd/c.go"},
		"api/*":    {"api/.gitignore", "api/a.go"},
	} {
		got, _, err := w.List(t.Context(), "", glob, nil, 0)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v, (-want +got):\n%s", glob, err, diff)
		}
	}
	if got, _, err := w.List(t.Context(), "lib/cmd", "", nil, 0); len(got) != 1 || err != nil {
		t.Errorf("one folder: %v, %v", got, err)
	}
	_, _, err := w.List(t.Context(), "gone", "", nil, 0)
	wantRefusal(t, "gone", err, "does not exist")
}

func TestFirstsKeepsTheFirst(t *testing.T) {
	f := firsts[string]{limit: 3, less: strings.Compare}
	for i := range 10_000 {
		f.add(0, fmt.Sprintf("%05d", (i*7919)%10_000))
	}
	if n := len(f.items); n > 2*f.limit+1000 {
		t.Errorf("%d items are held", n)
	}
	got, left := f.sorted()
	if diff := cmp.Diff([]string{"00000", "00001", "00002"}, got); diff != "" || left != 9_997 {
		t.Errorf("%d left, (-want +got):\n%s", left, diff)
	}
}

package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestVisit(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{
		"a.go": "", "sub/b.go": "", ".gitignore": "build/\n", "build/out.go": "", ".env": "", ".git/x": "", ".redline/chat.md": "",
	})
	link(t, "a.go", filepath.Join(dir, "link.go"))
	w.Open(w.URI("new.go"), "go", 1, "typed")
	var mu sync.Mutex
	var got []string
	visit := func(path string) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, path)
	}
	if err := w.Visit(t.Context(), visit); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if want := ".gitignore a.go new.go sub/b.go"; strings.Join(got, " ") != want {
		t.Errorf("visited %v, want %s", got, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Visit(ctx, visit); !errors.Is(err, context.Canceled) {
		t.Errorf("visiting with a context that has ended: %v", err)
	}
}

func TestLevel(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{
		"b.go": "", "a.md": "", "cmd/main.go": "", "cmd/inner/x.go": "", "empty/": "", ".git/config": "", ".redline/chat.md": "", ".redline/ignore": "private/\nhidden.txt\n",
		".gitignore": "build/\n*.log\n/cmd/gen/\n", "build/out.go": "", "x.log": "", "cmd/gen/y.go": "", ".env": "", ".ssh/config": "", "private/x": "", "hidden.txt": "",
	})
	link(t, "cmd", filepath.Join(dir, "link"))
	say := func(path string) string {
		l, err := w.Level(path)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(l)
	}
	if got, want := say("."), "{[cmd empty] [.gitignore a.md b.go] [build] false}"; got != want {
		t.Errorf("the root has %s, want %s", got, want)
	}
	if got, want := say("cmd"), "{[inner] [main.go] [gen] false}"; got != want {
		t.Errorf("cmd has %s, want %s", got, want)
	}
	for path, reason := range map[string]string{"none": "exist", "b.go": "", "../x": "not a path", ".git": ".git"} {
		if _, err := w.Level(path); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A folder with too many entries is read only in part, and the result says so.
func TestLevelIsBounded(t *testing.T) {
	w, dir := newWorkspace(t, nil)
	for i := range maxLevel + 1 {
		must(t, os.Mkdir(filepath.Join(dir, fmt.Sprint(i)), 0o755))
	}
	l, err := w.Level(".")
	if err != nil || !l.Cut || len(l.Folders) != maxLevel {
		t.Errorf("%d folders, cut: %v, %v", len(l.Folders), l.Cut, err)
	}
}

func TestUnlisted(t *testing.T) {
	w, _ := newWorkspace(t, map[string]string{".redline/ignore": "private/\n"})
	for path, want := range map[string]bool{"a.go": false, "a/prod.env": true, ".ssh/x/config": true, "private/a.go": true, ".git/config": true, ".redline/chat.md": true, "../x": true} {
		if got := w.Unlisted(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

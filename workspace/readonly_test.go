package workspace

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOnlyTheEditorsWrite checks that code that reads the workspace cannot write: only the files of
// Disk and Own, and of an uninstallation, call functions that change a disk.
func TestOnlyTheEditorsWrite(t *testing.T) {
	writers := []string{"atomic.go", "disk.go", "own.go"}
	changing := []string{
		"Create", "CreateTemp", "Mkdir", "MkdirAll", "MkdirTemp", "WriteFile", "Rename", "Remove", "RemoveAll", "Link", "Symlink",
		"Chmod", "Chown", "Lchown", "Chtimes", "Truncate", "CopyFS", "Write", "WriteString", "WriteAt",
		"O_WRONLY", "O_RDWR", "O_CREATE", "O_TRUNC", "O_APPEND",
	}
	names, err := fs.Glob(os.DirFS("."), "*.go")
	must(t, err)
	found := map[string]bool{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, 0)
		must(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && slices.Contains(changing, sel.Sel.Name) {
				// A strings.Builder writes to memory.
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "out" && name == "uri.go" {
					return true
				}
				found[name] = true
				if !slices.Contains(writers, name) {
					t.Errorf("%s: %s is called outside %v", files.Position(sel.Pos()), sel.Sel.Name, writers)
				}
			}
			return true
		})
	}
	if len(found) != len(writers) {
		t.Errorf("calls that write were found in %v, want %v: does the test still see them?", found, writers)
	}
}

func TestLookingLeavesNoTrace(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{
		"a.go": "package a", "sub/b.go": "needle", ".gitignore": "x", ".redline/ignore": "y", ".git/config": "z",
	})
	before := shot(t, dir)
	for _, path := range []string{"a.go", "none.go", "no/such/dir/x", "sub", ".git/config"} {
		w.Read(path)
		w.Stat(path)
		w.Secret(path)
		w.Clean(path)
		w.PathOf(w.URI(path))
		w.Open(w.URI(path), "go", 1, "typed")
	}
	ctx := t.Context()
	if _, _, err := w.List(ctx, "", "", Overlay{"n/d.go": {Text: "x"}}, 0); err != nil {
		t.Error(err)
	}
	if _, err := w.Search(ctx, Query{Pattern: "needle"}, Overlay{"n/d.go": {Text: "x"}}); err != nil {
		t.Error(err)
	}
	w.Own().Read("chat.md")
	w.Own().URI("chat.md")
	Find(filepath.Join(dir, "sub"), nil)
	if diff := cmp.Diff(before, shot(t, dir)); diff != "" {
		t.Errorf("the workspace changed:\n%s", diff)
	}
}

package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/workspace"
)

// The user's own files come first; what is no file, and no NAME.md of the repository, is not read.
func TestCustomFiles(t *testing.T) {
	root, own := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(own, "b.md"): "yours, and long", filepath.Join(own, "a.md"): "yours", filepath.Join(own, "c.txt"): "x",
		filepath.Join(root, ".redline/templates/b.md"): "theirs", filepath.Join(root, ".redline/templates/d.md"): "theirs", filepath.Join(root, ".redline/templates/e.md/x"): "x",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws := workspace.New([]workspace.Folder{{Name: "one", Dir: root}}, workspace.Options{})
	c := workspace.Custom{Workspace: ws, Dir: own, Folder: "templates", Limit: 8}
	var got []string
	for _, f := range c.List() {
		text, err := c.Read(f)
		if err != nil {
			t.Errorf("%+v: %v", f, err)
		}
		if f.Yours == (f.Path[0] == '.') {
			t.Errorf("%+v is in the wrong folder", f)
		}
		got = append(got, f.Name+" "+text)
	}
	if diff := cmp.Diff([]string{"a yours", "b yours, an", "b theirs", "d theirs"}, got); diff != "" {
		t.Error(diff)
	}
	if got := (workspace.Custom{Workspace: workspace.New(nil, workspace.Options{}), Folder: "templates"}).List(); got != nil {
		t.Errorf("without a folder: %v", got)
	}
}

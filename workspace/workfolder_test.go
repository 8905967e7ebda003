package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/workspace"
)

func TestWorkFolder(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	for _, d := range []string{"tools/ci", ".git/hooks", ".redline"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(d)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	links := true
	for name, to := range map[string]string{"inside": "tools", "outside": out, "gone": "nowhere"} {
		links = links && os.Symlink(to, filepath.Join(dir, name)) == nil
	}
	w := workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{})
	for name, want := range map[string]string{
		".": "", "./": "", dir: "", "tools": "tools", "./tools//ci/": "tools/ci", "tools/../tools": "tools",
		filepath.Join(dir, "tools"): "tools", "not/yet": "not/yet",
	} {
		if got, err := w.WorkFolder(name); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	for name, why := range map[string]string{
		"": "no file was named", "..": "outside the workspace", "../x": "outside the workspace", out: "outside the workspace",
		"/": "outside the workspace", ".git": "inside .git", ".git/hooks": "inside .git", ".redline": "belongs to Redline", "a.txt": "is a file",
		"a.txt/b": "",
	} {
		if got, err := w.WorkFolder(name); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, why)
		}
	}
	if !links {
		t.Log("no symbolic links can be made here")
		return
	}
	for name, why := range map[string]string{
		"inside": "through a symbolic link", "inside/ci": "through a symbolic link", "outside": "leads out of the workspace", "gone": "does not exist",
	} {
		if got, err := w.WorkFolder(name); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, why)
		}
	}
}

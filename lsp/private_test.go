package lsp

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"redline/lsp/lsptest"
)

// A preview contains parts of files, so its permissions are as strict as theirs: the first
// preview, one of a later revision, and the chat file.
func TestPreviewsOfPrivateFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes here")
	}
	c := connect(t, lsptest.Honest(), map[string]string{"a.txt": twoFruits, "b.txt": twoFruits})
	c.must(os.Chmod(filepath.Join(c.dir, "a.txt"), 0o600))
	c.plan(`replace "apple" with "pear"`)
	c.plan(`replace "pear" with "plum"`)
	shown := 0
	c.must(filepath.WalkDir(filepath.Join(c.dir, ".redline"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".gitignore" || d.Name() == "ignore" {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if shown++; info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %o", name, info.Mode().Perm())
		}
		return nil
	}))
	if shown < 2 {
		t.Errorf("only %d files were looked at", shown)
	}
}

package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

// The target of a link in .redline is neither read nor removed.
func TestRemoveOwnFollowsNoLink(t *testing.T) {
	outside := t.TempDir()
	kept := filepath.Join(outside, "0001-r1.md")
	if err := os.WriteFile(kept, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, link := range map[string]func(dir string) error{
		".redline is a link": func(dir string) error {
			if err := os.Mkdir(filepath.Join(outside, "plans"), 0o700); err != nil && !os.IsExist(err) {
				return err
			}
			return os.Symlink(outside, filepath.Join(dir, ownDir))
		},
		"the folder of previews is a link": func(dir string) error {
			if err := os.Mkdir(filepath.Join(dir, ownDir), 0o700); err != nil {
				return err
			}
			return os.Symlink(outside, filepath.Join(dir, ownDir, "plans"))
		},
		"the chat is a link": func(dir string) error {
			if err := os.Mkdir(filepath.Join(dir, ownDir), 0o700); err != nil {
				return err
			}
			return os.Symlink(kept, filepath.Join(dir, ownDir, "chat.md"))
		},
	} {
		dir := t.TempDir()
		if err := link(dir); err != nil {
			t.Skipf("links cannot be made here: %v", err)
		}
		if left := LeftIn(dir); left != (Left{}) {
			t.Errorf("%s: found %+v", what, left)
		}
		if err := RemoveOwn(dir, true); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if text, err := os.ReadFile(kept); err != nil || string(text) != "mine" {
			t.Errorf("%s: the file outside is %q, %v", what, text, err)
		}
	}
}

// If .redline contains nothing of the user's, it is removed too; a .gitignore of the user's stays.
func TestRemoveOwn(t *testing.T) {
	write := func(dir, name, text string) {
		t.Helper()
		path := filepath.Join(dir, ownDir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		ignore string
		chat   bool // there is one
		remove bool
		stays  bool // .redline
	}{
		{ownIgnore, false, false, false},
		{ownIgnore, true, false, true},
		{ownIgnore, true, true, false},
		{"mine\n", false, true, true},
	} {
		dir := t.TempDir()
		write(dir, "plans/0001-r1.md", "x")
		write(dir, ".gitignore", c.ignore)
		if c.chat {
			write(dir, "chat.md", "words")
		}
		if left := LeftIn(dir); left != (Left{1, c.chat}) {
			t.Errorf("%+v: found %+v", c, left)
		}
		if err := RemoveOwn(dir, c.remove); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(filepath.Join(dir, ownDir)); (err == nil) != c.stays {
			t.Errorf("%+v: .redline: %v", c, err)
		}
		if left := LeftIn(dir); left.Previews != 0 {
			t.Errorf("%+v: %d previews are left", c, left.Previews)
		}
	}
}

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A .redline that another user has put above the folder is skipped, with a message that says what
// to do, until the user's settings name that folder.
func TestWorkspaceOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give folders away: run this test as root")
	}
	dir := t.TempDir()
	shared, mine := filepath.Join(dir, "shared"), filepath.Join(dir, "shared", "mine")
	settings := filepath.Join(dir, "config.toml")
	for _, err := range []error{
		os.MkdirAll(mine, 0o755), os.Mkdir(filepath.Join(shared, ".redline"), 0o755), os.Chown(filepath.Join(shared, ".redline"), 4242, 4242),
		os.WriteFile(settings, nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("REDLINE_CONFIG", settings)
	t.Setenv("REDLINE_STATE_DIR", filepath.Join(dir, "state"))
	t.Setenv("SUDO_UID", "")
	found := func() (folder, said string) {
		set, err := newSetup(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer set.store.Close()
		ws, err := set.workspaceIn(mine)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		set.warnPassed(streams{err: &out})
		return ws.Folders()[0].Dir, out.String()
	}
	if folder, said := found(); folder != mine || !strings.Contains(said, shared+" belongs to another user") {
		t.Errorf("found %s and said %q", folder, said)
	}
	if err := os.WriteFile(settings, []byte("[workspace]\ntrusted_folders = [\""+shared+"\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if folder, said := found(); folder != shared || said != "" {
		t.Errorf("with the setting: found %s and said %q", folder, said)
	}
}

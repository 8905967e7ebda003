package main

import (
	"os"
	"path/filepath"
	"testing"

	"redline/agent/config"
)

// REDLINE_CONFIG may name something that is no file, such as /dev/null for no settings: that is not
// the user's settings, and uninstall does not remove it. The same holds for what has the name of a
// folder of theirs.
func TestUninstallRemovesOnlyFilesAndFolders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "redline")
	for _, name := range []string{"folder", "folder/agents", "plain/templates"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"plain/config.toml", "plain/agents", "plain/templates/a.md", "folder/notes.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string][]string{
		os.DevNull:                               nil,
		filepath.Join(dir, "folder"):             nil,
		filepath.Join(dir, "gone"):               nil,
		filepath.Join(dir, "plain/config.toml"):  {"plain/config.toml", "plain/templates"}, // agents is a file
		filepath.Join(dir, "folder/config.toml"): {"folder/agents"},
	} {
		var got []string
		for _, thing := range ofSettings(config.Settings{File: file}, true) {
			if name, err := filepath.Rel(dir, thing.path); err == nil {
				got = append(got, filepath.ToSlash(name))
			}
		}
		if len(got) != len(want) {
			t.Errorf("of %s: %q, want %q", file, got, want)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("of %s: %q, want %q", file, got, want)
			}
		}
	}
}

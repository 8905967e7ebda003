package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/workspace/language"
)

// Asking programs for their versions runs nothing that a file of the folder names, as rustup's proxies would.
func TestDoctorRunsNothingOfTheFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"rust-toolchain.toml":  "[toolchain]\npath = \"" + dir + "/tc\"\n",
		"tc/bin/rust-analyzer": "#!/bin/sh\necho run by the repository\n",
		"tc/lib/x":             "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	if said := versionOf(t.Context(), language.RustAnalyzer()); strings.Contains(said, "repository") {
		t.Error(said)
	}
}

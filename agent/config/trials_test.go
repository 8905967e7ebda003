package config_test

import (
	"path/filepath"
	"slices"
	"testing"

	"redline/agent/config"
)

// A trial sees the folders of toolchains and caches, and never the whole home folder or files with
// credentials.
func TestTrialTools(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	own, tool := filepath.Join(home, "bin"), filepath.Join(t.TempDir(), "go")
	t.Setenv("PATH", own+string(filepath.ListSeparator)+home+string(filepath.ListSeparator)+filepath.FromSlash("/usr/bin"))
	t.Setenv("GOPATH", home+string(filepath.ListSeparator)+tool)
	t.Setenv("GOROOT", filepath.FromSlash("/usr/local/go"))
	moved := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_DATA_HOME", "CARGO_HOME"} {
		t.Setenv(name, filepath.Join(moved, name))
	}
	s := config.Settings{Trials: config.TrialSettings{Read: []string{filepath.Join(home, "data")}}}
	tools := s.TrialTools()
	for _, want := range []string{own, tool, filepath.Join(home, "data"), filepath.Join(home, "go"), filepath.Join(home, ".cache", "go-build"),
		filepath.Join(moved, "XDG_CACHE_HOME", "go-build"), filepath.Join(moved, "XDG_DATA_HOME", "mise"), filepath.Join(moved, "CARGO_HOME", "registry")} {
		if !slices.Contains(tools, want) {
			t.Errorf("%s is not among %q", want, tools)
		}
	}
	for _, dir := range tools {
		for _, no := range []string{home, filepath.Join(moved, "XDG_CACHE_HOME"), filepath.Join(moved, "XDG_DATA_HOME"), filepath.Join(moved, "CARGO_HOME"), filepath.Join(home, ".cargo"), filepath.Join(home, ".config"), filepath.Join(home, ".ssh"), filepath.FromSlash("/usr/bin"), filepath.FromSlash("/usr/local/go"), filepath.Join(home, ".dotnet"), filepath.Join(home, ".m2")} {
			if dir == no {
				t.Errorf("a trial sees %s", dir)
			}
		}
	}
}

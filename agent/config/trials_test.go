package config_test

import (
	"os"
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
	for _, want := range []string{own, filepath.Join(tool, "pkg"), filepath.Join(tool, "bin"), filepath.Join(home, "data"), filepath.Join(home, "go", "pkg"), filepath.Join(home, "go", "bin"), filepath.Join(home, ".cache", "go-build"),
		filepath.Join(moved, "XDG_CACHE_HOME", "go-build"), filepath.Join(moved, "XDG_DATA_HOME", "mise"), filepath.Join(moved, "CARGO_HOME", "registry")} {
		if !slices.Contains(tools, want) {
			t.Errorf("%s is not among %q", want, tools)
		}
	}
	for _, dir := range tools {
		for _, no := range []string{home, tool, filepath.Join(tool, "src"), filepath.Join(home, "go"), filepath.Join(moved, "XDG_CACHE_HOME"), filepath.Join(moved, "XDG_DATA_HOME"), filepath.Join(moved, "CARGO_HOME"), filepath.Join(home, ".cargo"), filepath.Join(home, ".config"), filepath.Join(home, ".ssh"), filepath.FromSlash("/usr/bin"), filepath.FromSlash("/usr/local/go"), filepath.Join(home, ".dotnet"), filepath.Join(home, ".m2")} {
			if dir == no {
				t.Errorf("a trial sees %s", dir)
			}
		}
	}
}

// However the home folder is spelt, no variable and no setting shows it to a trial.
func TestTrialToolsAreNeverTheHome(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, link := filepath.Join(dir, "homes", "u"), filepath.Join(dir, "link")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(home, link); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
	for _, spelt := range []string{home, home + "/", home + "/.", link, filepath.Dir(home), dir, "/"} {
		for _, is := range []string{home, home + "/", link} {
			t.Setenv("HOME", is)
			t.Setenv("PATH", spelt)
			for _, name := range []string{"GOPATH", "GOROOT", "JAVA_HOME", "PNPM_HOME", "VIRTUAL_ENV", "XDG_CACHE_HOME", "CARGO_HOME", "NVM_DIR"} {
				t.Setenv(name, spelt)
			}
			s := config.Settings{Trials: config.TrialSettings{Read: []string{filepath.Clean(spelt)}}}
			for _, tool := range s.TrialTools() {
				real, err := filepath.EvalSymlinks(tool)
				if err != nil {
					continue // it is not there
				}
				if rel, err := filepath.Rel(real, home); err == nil && filepath.IsLocal(rel) {
					t.Errorf("HOME=%s and %s: a trial sees %s", is, spelt, tool)
				}
			}
		}
	}
}

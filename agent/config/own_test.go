package config

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestOwnPathsAreAllThatDecidesWhatRuns(t *testing.T) {
	dir := t.TempDir()
	s, _ := load(t, "", map[string]string{
		"REDLINE_CONFIG": filepath.Join(dir, "dot", "settings.toml"), "REDLINE_STATE_DIR": filepath.Join(dir, "kept"),
	}, nil)
	got := s.OwnPaths()
	for _, want := range []string{"dot/settings.toml", "dot/prompts", "dot/agents", "dot/templates", "kept"} {
		if !slices.Contains(got, filepath.Join(dir, filepath.FromSlash(want))) {
			t.Errorf("%s is not among %q", want, got)
		}
	}
	usual := usualPlaces()
	for _, want := range []string{usual.File, usual.StateDir, usual.AgentsDir()} {
		if want != "" && !slices.Contains(got, want) {
			t.Errorf("the usual place %s is not among %q", want, got)
		}
	}
	folders := s.OwnFolders()
	for _, want := range []string{filepath.Dir(usual.File), filepath.Join(dir, "kept"), filepath.Join(dir, "dot", "agents")} {
		if !slices.Contains(folders, want) {
			t.Errorf("the folder %s is not among %q", want, folders)
		}
	}
	if slices.Contains(folders, filepath.Join(dir, "dot")) {
		t.Errorf("a folder of the user's is among %q", folders)
	}
	for _, path := range slices.Concat(got, folders) {
		if !filepath.IsAbs(path) {
			t.Errorf("%s is not absolute", path)
		}
	}
}

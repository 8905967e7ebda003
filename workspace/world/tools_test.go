package world

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// No folder of tools is the home folder, holds it or leads to it, however either is spelt.
func TestShown(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, name := range []string{"homes/u/go/pkg", "homes/u/.ssh/bin", "other"} {
		if err := os.MkdirAll(at(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link": "homes/u", "toLink": "link", "above": "homes", "far": ".", "other/keys": at("homes/u/.ssh"), "same": "homes/../homes/u"} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Skipf("symbolic links cannot be made here: %v", err)
		}
	}
	good := []string{at("homes/u/go"), at("link/go/pkg"), at("above/u/go"), at("other"), at("missing"), at("homes/u2")}
	bad := []string{
		at("homes/u"), at("homes/u") + "/", at("homes/u") + "/.", at("homes") + "//u", at("homes/u") + "/go/..", at("homes"), dir, filepath.Dir(dir), "/",
		at("link"), at("toLink"), at("above"), at("above/u"), at("far"), at("far/homes"), at("same"), at("link") + "/go/../../u",
		at("homes/u/.ssh"), at("homes/u/.ssh/bin"), at("other/keys"),
	}
	for _, homes := range [][]string{{at("homes/u")}, {at("homes/u") + "/"}, {at("link")}, {at("toLink/.")}, {"", at("missing"), at("above/u")}} {
		if got := Shown(slices.Concat(bad, good), homes); !slices.Equal(got, good) {
			t.Errorf("with the home %q: %q, want %q", homes, got, good)
		}
	}
	if got := Shown(good, nil); !slices.Equal(got, good) {
		t.Errorf("without a home: %q", got)
	}
}

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestNeovim(t *testing.T) {
	path, version := editor(t, "REDLINE_NVIM", "nvim")
	driveNeovim(t, path, version)
}

func TestNeovimNewest(t *testing.T) {
	path, version := editor(t, "REDLINE_NVIM_NEW", cached("nvim"))
	driveNeovim(t, path, version)
}

// driveNeovim does the main job in a Neovim without a screen: in one buffer, in
// a file that is not open, and for a comment.
func driveNeovim(t *testing.T, nvim, version string) {
	w := newWorld(t, map[string]string{"main.go": before, "other.go": before})
	w.write(filepath.Join(w.home, "config_home", "nvim", "init.lua"), snippet(t, "nvim", neovimHeading(version), "lua"))
	driver, err := filepath.Abs(filepath.Join("testdata", "neovim.lua"))
	if err != nil {
		t.Fatal(err)
	}
	out := w.run(nil, nvim, "--headless", "-n", "-c", "luafile "+driver, "main.go")
	t.Logf("%s\n%s", version, out)
	if !strings.Contains(out, "the main job is done") {
		t.Error("the driver did not come to its end")
	}
	w.has("main.go", strings.ReplaceAll(after, "salute", "wave"))
	w.has("other.go", after)
}

// neovimHeading is what heads the configuration for a version.
func neovimHeading(version string) string {
	for _, old := range []string{"v0.7.", "v0.8.", "v0.9.", "v0.10."} {
		if strings.Contains(version, old) {
			return "## Neovim 0.7 to 0.10"
		}
	}
	return "## Neovim 0.11 and newer"
}

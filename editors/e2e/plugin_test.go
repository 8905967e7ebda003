package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// plugin is the folder of Neovim's plugin.
func plugin(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "nvim"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "plugin", "redline.lua")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The plugin does the whole job in Neovim, without a line of configuration besides
// where it is.
func TestNeovimPlugin(t *testing.T) {
	path, version := editor(t, "REDLINE_NVIM_NEW", cached("nvim"))
	w := newWorld(t, map[string]string{"main.go": before, "other.go": before})
	driver, err := filepath.Abs(filepath.Join("testdata", "plugin.lua"))
	if err != nil {
		t.Fatal(err)
	}
	w.write(filepath.Join(w.home, "config_home", "nvim", "init.lua"), "vim.opt.rtp:prepend([["+plugin(t)+"]])\n")
	out := w.run(nil, path, "--headless", "-n", "-c", "luafile "+driver, "main.go")
	t.Logf("%s\n%s", version, out)
	if !strings.Contains(out, "the main job is done") {
		t.Error("the driver did not come to its end")
	}
}

// In a Neovim that is too old for it, the plugin is a plain LSP configuration: the
// same driver does the main job that does it with the lines of the page.
func TestNeovimPluginOnOldNeovim(t *testing.T) {
	path, version := editor(t, "REDLINE_NVIM", "nvim")
	if !strings.HasPrefix(neovimHeading(version), "## Neovim 0.7") {
		t.Skip("this Neovim is not older than 0.10: " + version)
	}
	w := newWorld(t, map[string]string{"main.go": before, "other.go": before})
	driver, err := filepath.Abs(filepath.Join("testdata", "neovim.lua"))
	if err != nil {
		t.Fatal(err)
	}
	w.write(filepath.Join(w.home, "config_home", "nvim", "init.lua"), "vim.opt.rtp:prepend([["+plugin(t)+"]])\n")
	out := w.run(nil, path, "--headless", "-n", "-c", "luafile "+driver, "main.go")
	if !strings.Contains(out, "the main job is done") {
		t.Errorf("%s\n%s\nthe driver did not come to its end", version, out)
	}
	w.has("other.go", after)
}

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// plugin is the folder of the Neovim plugin.
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

// eachPlugin runs a test in the oldest Neovim that the plugin supports and in the newest.
func eachPlugin(t *testing.T, test func(t *testing.T, nvim string)) {
	for _, e := range []struct{ name, variable, cached string }{
		{"0.10", "REDLINE_NVIM_OLDEST", "nvim-0.10"},
		{"newest", "REDLINE_NVIM_NEW", "nvim"},
	} {
		t.Run(e.name, func(t *testing.T) {
			path, version := editor(t, e.variable, cached(e.cached))
			t.Log(version)
			test(t, path)
		})
	}
}

// pluginWorld is a world whose Neovim has the plugin, configured only by its path.
func pluginWorld(t *testing.T, files map[string]string) *world {
	t.Helper()
	w := newWorld(t, files)
	w.write(filepath.Join(w.home, "config_home", "nvim", "init.lua"), "vim.opt.rtp:prepend([["+plugin(t)+"]])\n")
	return w
}

// drive runs a driver of testdata in a Neovim without a screen, and fails the test unless the
// driver finishes.
func (w *world) drive(nvim, driver, file string) {
	w.t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", driver))
	if err != nil {
		w.t.Fatal(err)
	}
	out := w.run(nil, nvim, "--headless", "-n", "-c", "luafile "+path, file)
	w.t.Log(out)
	if !strings.Contains(out, "the main job is done") {
		w.t.Error("the driver did not come to its end")
	}
}

// The plugin does the whole job in Neovim.
func TestNeovimPlugin(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		pluginWorld(t, map[string]string{"main.go": before, "other.go": before}).drive(nvim, "plugin.lua", "main.go")
	})
}

// In a Neovim that is too old for it, the plugin is a plain LSP configuration: the driver that does
// the main job with the page's configuration does it with the plugin too.
func TestNeovimPluginOnOldNeovim(t *testing.T) {
	path, version := editor(t, "REDLINE_NVIM", "nvim")
	if !strings.HasPrefix(neovimHeading(version), "## Neovim 0.7") {
		t.Skip("this Neovim is not older than 0.10: " + version)
	}
	t.Log(version)
	w := pluginWorld(t, map[string]string{"main.go": before, "other.go": before})
	w.drive(path, "neovim.lua", "main.go")
	w.has("other.go", after)
}

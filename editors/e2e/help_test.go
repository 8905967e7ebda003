package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// The help of the plugin for Neovim has every subcommand, map, setting and colour, and no other.
func TestNeovimPluginHelp(t *testing.T) {
	driver, err := filepath.Abs(filepath.Join("testdata", "help.lua"))
	if err != nil {
		t.Fatal(err)
	}
	eachPlugin(t, func(t *testing.T, nvim string) {
		out := pluginWorld(t, nil).run(nil, nvim, "--headless", "-n", "-c", "luafile "+driver)
		if !strings.Contains(out, "the help has all of it") {
			t.Error(out)
		}
	})
}

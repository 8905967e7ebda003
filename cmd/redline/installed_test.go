package main

import (
	"os"
	"strings"
	"testing"
)

func TestInstalledBy(t *testing.T) {
	for path, c := range map[string]struct {
		exists string
		want   string
	}{
		"/home/me/.npm/_npx/1/node_modules/redline-lsp-linux-x64/bin/redline":            {want: "npm"},
		`C:\Users\me\AppData\Roaming\npm\node_modules\redline-lsp-win32-x64\redline.exe`: {want: "npm"},
		"/home/me/.local/share/uv/tools/redline-lsp/bin/redline-lsp":                     {want: "uv"},
		"/home/me/.local/share/nvim/mason/packages/redline-lsp/redline":                  {want: "mason.nvim"},
		"/home/me/.vscode/extensions/redline.redline-1.2.0-linux-x64/bin/redline":        {want: "the extension for VS Code"},
		"/opt/homebrew/Cellar/redline/1.2.0/bin/redline":                                 {want: "Homebrew"},
		`C:\Users\me\scoop\apps\redline\1.2.0\redline.exe`:                               {want: "Scoop"},
		"/nix/store/0123-redline-1.2.0/bin/redline":                                      {want: "Nix"},
		"/home/me/go/bin/redline":                                                        {want: "Go"},
		"/home/me/project/.venv/bin/redline-lsp":                                         {"/home/me/project/.venv/bin/../pyvenv.cfg", "pip"},
		"/usr/bin/redline":                                                               {dpkgList, "a .deb package"},
		"/home/me/Downloads/redline":                                                     {},
		"redline":                                                                        {},
	} {
		by, upgrade := installedBy(path, func(file string) bool { return file == c.exists })
		if by != c.want || (by == "") != (upgrade == "") {
			t.Errorf("%s: by %q, upgraded by %q; want %q", path, by, upgrade, c.want)
		}
	}
	if by, _ := installedBy("/usr/bin/redline", func(string) bool { return false }); by != "an .rpm package" {
		t.Errorf("without dpkg's list: by %q", by)
	}
}

// Neovim's plugin says by itself how to upgrade a program that is too old to say so: in the same
// words.
func TestNeovimPluginUpgradesAlike(t *testing.T) {
	lua, err := os.ReadFile("../../editors/nvim/lua/redline/program.lua")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range ways {
		words := w.upgrade
		switch w.by {
		case "the extension for VS Code": // its program is for the extension alone
			continue
		case "Go":
			words = "in a newer checkout"
		}
		if !strings.Contains(string(lua), words) {
			t.Errorf("program.lua does not say %q for a program installed with %s", words, w.by)
		}
	}
}

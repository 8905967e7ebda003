package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What `redline init nvim` writes is all that Neovim needs: the command exists, and so does the
// help, with the same tags that :helptags makes.
func TestNeovimPluginFromInit(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := newWorld(t, map[string]string{"main.go": before})
		w.run(nil, filepath.Join(bin, "redline"), "init", "nvim", "--write")
		doc := filepath.Join(w.home, "data_home", "nvim", "site", "pack", "redline", "start", "redline", "doc")
		written, err := os.ReadFile(filepath.Join(doc, "tags"))
		if err != nil {
			t.Fatal(err)
		}

		p := w.plugged(nvim, "main.go")
		p.attached()
		p.run("Redline rename greet to salute")
		p.holds("#require('redline.hunks').list() == 2")
		p.run("help redline-settings")
		p.is("redline.txt", "vim.fn.expand('%:t')")
		if line := p.lua("vim.fn.getline('.')"); !strings.Contains(line, "*redline-settings*") {
			t.Errorf("the help is at %q", line)
		}
		p.run("helptags " + doc)
		made, err := os.ReadFile(filepath.Join(doc, "tags"))
		if err != nil {
			t.Fatal(err)
		}
		if string(made) != string(written) {
			t.Errorf("the tags are\n%s\nNeovim makes\n%s", written, made)
		}
	})
}

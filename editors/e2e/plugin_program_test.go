package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// health returns what the plugin's health check says.
func (p *plugged) health() string {
	p.t.Helper()
	p.run("checkhealth redline")
	text := p.lua("table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')")
	p.run("bwipeout")
	return text
}

// says fails the test unless the health check says all of the parts.
func (p *plugged) says(parts ...string) {
	p.t.Helper()
	health := p.health()
	for _, part := range parts {
		if !strings.Contains(health, part) {
			p.t.Errorf("the health check does not say %q:\n%s", part, health)
		}
	}
}

// without takes the folder with the program off the world's PATH.
func (w *world) without() { w.env[0] = "PATH=" + os.Getenv("PATH") }

// link puts the program into a folder of the home.
func (w *world) link(program, folder string) {
	w.t.Helper()
	dir := filepath.Join(w.home, folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(dir, "redline")); err != nil {
		w.t.Fatal(err)
	}
}

// programOfVersion builds the program as a release of that version.
func programOfVersion(t *testing.T, version string) string {
	t.Helper()
	program := filepath.Join(tempDir(t), "redline")
	out, err := exec.Command("go", "build", "-ldflags", "-X main.version="+version, "-o", program, "../../cmd/redline").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// The plugin finds a program that is not on PATH where package managers install it.
func TestNeovimPluginFindsTheProgram(t *testing.T) {
	for _, c := range []struct{ folder, env string }{
		{"go/bin", ""},
		{".local/bin", ""},
		{"data_home/nvim/mason/bin", ""},
		{"tools/bin", "GOPATH=HOME/tools"},
		{"node/bin", "NPM_CONFIG_PREFIX=HOME/node"},
	} {
		t.Run(c.folder, func(t *testing.T) {
			eachPlugin(t, func(t *testing.T, nvim string) {
				t.Parallel()
				w := pluginWorld(t, map[string]string{"main.go": before})
				w.without()
				w.env = append(w.env, strings.Replace(c.env, "HOME", w.home, 1))
				w.link(filepath.Join(bin, "redline"), c.folder)
				p := w.plugged(nvim, "main.go")
				p.attached()
				p.says(" Neovim 0.1", filepath.Join(w.home, c.folder, "redline"), "new enough", "running for "+w.dir)
			})
		})
	}
}

// A program that the settings name is not looked for elsewhere.
func TestNeovimPluginKeepsToTheSettings(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		t.Parallel()
		w := pluginWorld(t, map[string]string{"main.go": before})
		w.link(filepath.Join(bin, "redline"), "go/bin")
		w.write(filepath.Join(w.home, "config_home", "nvim", "plugin", "a.lua"), "vim.g.redline = { cmd = { '/nowhere/redline', 'serve' } }\n")
		p := w.plugged(nvim, "main.go")
		p.holds("Noted('cannot find `/nowhere/redline`: set `cmd`.')")
		p.says("cannot find `/nowhere/redline`")
	})
}

// A program that is too old for the plugin still starts: the plugin says once what to run, and so
// does its health check. One that was built from a checkout is never too old.
func TestNeovimPluginAndOldProgram(t *testing.T) {
	const sentence = "Redline 0.0.9 is too old for this plugin, which needs 0.1.0 or later. Upgrade it with "
	old, dev := programOfVersion(t, "0.0.9"), programOfVersion(t, "0.0.1-dev")
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before, "inner/.redline/a": "", "inner/main.go": before})
		w.without()
		w.link(old, "go/bin")
		p := w.plugged(nvim, "main.go")
		p.holds("Noted('" + sentence + "the package manager that installed it.')")
		p.run("edit inner/main.go")
		p.attached()
		p.is("2", "#vim.lsp.get_clients({ name = 'redline' })")
		p.is("1", "#Notes")
		p.says(sentence, "version 0.0.9, model")

		w = pluginWorld(t, map[string]string{"main.go": before})
		w.without()
		w.link(dev, "go/bin")
		p = w.plugged(nvim, "main.go")
		p.attached()
		p.says("new enough", "version 0.0.1-dev, model")
		p.is("0", "#Notes")
	})
}

// The words for an upgrade follow from where the program is.
func TestNeovimPluginUpgrades(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		w.without()
		p := w.plugged(nvim, "main.go")
		for folder, want := range map[string]string{
			"data/mason/packages/redline-lsp":         "`:MasonInstall redline-lsp`",
			"lib/node_modules/redline-lsp/bin":        "`npm install -g redline-lsp@latest`",
			".local/share/uv/tools/redline-lsp/bin":   "`uv tool upgrade redline-lsp`",
			".local/share/pipx/venvs/redline-lsp/bin": "`pipx upgrade redline-lsp`",
			"homebrew/Cellar/redline/0.0.9/bin":       "`brew upgrade redline`",
			"nix/store/0-redline/bin":                 "`nix profile upgrade redline`",
			"old/go/bin":                              "`go install ./cmd/redline` in a newer checkout",
			"usr/bin":                                 "the package manager that installed it",
		} {
			program := filepath.Join(w.home, folder, "redline")
			w.write(program, "#!/bin/sh\n")
			if err := os.Chmod(program, 0o755); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join("path", folder) // most are on PATH by a link
			w.link(program, dir)
			p.is(want, "require('redline.program').upgrade([["+filepath.Join(w.home, dir, "redline")+"]])")
		}
		for version, old := range map[string]string{"0.0.99": "true", "0.1.0": "false", "0.1.1": "false", "1.0.0": "false", "0.0.1-dev": "false", "who knows": "false"} {
			p.is(old, "require('redline.program').too_old([["+version+"]], 'redline') ~= nil")
		}
	})
}

// A server that runs since before an upgrade is reported, and so is a plugin that is installed twice.
func TestNeovimPluginHealthAfterUpgrade(t *testing.T) {
	dev := programOfVersion(t, "0.3.0")
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		w.without()
		w.link(filepath.Join(bin, "redline"), "go/bin")
		p := w.plugged(nvim, "main.go")
		p.attached()
		if health := p.health(); strings.Contains(health, "WARNING") || strings.Contains(health, "ERROR") {
			t.Errorf("the health check complains:\n%s", health)
		}
		if err := os.Remove(filepath.Join(w.home, "go/bin/redline")); err != nil {
			t.Fatal(err)
		}
		w.link(dev, "go/bin")
		if err := os.CopyFS(filepath.Join(w.home, "data_home/nvim/site/pack/a/opt/redline"), os.DirFS(plugin(t))); err != nil {
			t.Fatal(err)
		}
		p.run("packadd redline")
		p.says("the server runs version 0.1.0-dev, the program is now version 0.3.0", "the plugin is installed more than once")
	})
}

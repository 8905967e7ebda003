package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// manager is one way to install the plugin from the repository.
type manager struct {
	name string
	// init is Neovim's init.lua. REPOSITORY stands for the repository's folder, MANAGERS for that
	// of the plugin managers, SITE for the folder of Neovim's own packages.
	init string
	// clone is a folder of SITE that the repository is cloned into before Neovim starts.
	clone string
	// needs is a folder of MANAGERS; "" for none.
	needs string
	// newest: the manager is a part of Neovim since 0.12.
	newest bool
}

// The setting that each configuration makes, to see that it takes effect.
const setup = "require('redline').setup({ chat_width = 33 })\n"

const lazyStart = "vim.opt.rtp:prepend([[MANAGERS/lazy.nvim]])\nrequire('lazy').setup({ spec = { "

// lazy.nvim resets the runtimepath: paths keeps the parsers of a Neovim that .ci/install-editors
// unpacks.
const lazyEnd = ` }, rocks = { enabled = false }, performance = { rtp = {
  paths = vim.tbl_filter(function(dir) return vim.uv.fs_stat(dir .. '/parser') ~= nil end, vim.opt.rtp:get()) } } })
`

const deps = "vim.opt.rtp:prepend([[MANAGERS/mini.nvim]])\nrequire('mini.deps').setup()\n"

var managers = []manager{
	{name: "vim.pack", newest: true,
		init: "vim.pack.add({ 'file://REPOSITORY' }, { confirm = false })\n" + setup},
	{name: "vim.pack, loaded at once", newest: true,
		init: "vim.pack.add({ 'file://REPOSITORY' }, { confirm = false, load = true })\n" + setup},
	{name: "lazy.nvim", needs: "lazy.nvim",
		init: lazyStart + "{ url = 'file://REPOSITORY', opts = { chat_width = 33 } }" + lazyEnd},
	{name: "lazy.nvim, by its command", needs: "lazy.nvim",
		init: lazyStart + "{ url = 'file://REPOSITORY', cmd = 'Redline', opts = { chat_width = 33 } }" + lazyEnd},
	{name: "lazy.nvim, by its module", needs: "lazy.nvim",
		init: lazyStart + "{ url = 'file://REPOSITORY', lazy = true }" + lazyEnd + setup},
	{name: "lazy.nvim, the folder of a checkout", needs: "lazy.nvim",
		init: lazyStart + "{ dir = [[REPOSITORY/editors/nvim]], name = 'redline', opts = { chat_width = 33 } }" + lazyEnd},
	{name: "mini.deps", needs: "mini.nvim",
		init: deps + "MiniDeps.add({ source = 'file://REPOSITORY' })\n" + setup},
	{name: "mini.deps, later", needs: "mini.nvim",
		init: deps + "MiniDeps.later(function() MiniDeps.add({ source = 'file://REPOSITORY' })\n" + setup + "end)\n"},
	// No package registry has packer.nvim. It clones into a package of Neovim's, and
	// appends rtp to the runtimepath, as its manual says.
	{name: "a package of Neovim's, as packer installs it", clone: "pack/packer/start/redline",
		init: setup},
	{name: "a package of Neovim's, as packer installs it with a subdirectory", clone: "pack/packer/start/redline",
		init: "vim.o.rtp = vim.o.rtp .. [[,SITE/pack/packer/start/redline/editors/nvim]]\n" + setup},
	{name: "an optional package of Neovim's", clone: "pack/packer/opt/redline",
		init: "vim.cmd.packadd('redline')\n" + setup},
}

// The plugin works as each manager installs it from the repository, without an option for the
// folder that it is in: its command, its settings, its help, and one server.
func TestNeovimPluginManagers(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("install Git, which plugin managers clone with")
	}
	repository := repositoryOfPlugin(t)
	for _, m := range managers {
		t.Run(m.name, func(t *testing.T) {
			eachPlugin(t, func(t *testing.T, nvim string) {
				t.Parallel()
				installedBy(t, m, nvim, repository)
			})
		})
	}
}

func installedBy(t *testing.T, m manager, nvim, repository string) {
	if m.newest && strings.HasSuffix(nvim, "nvim-0.10") {
		t.Skip("vim.pack needs Neovim 0.12, which the other run of this test has")
	}
	w := newWorld(t, map[string]string{"main.go": before, "other.go": before})
	site := filepath.Join(w.home, "data_home", "nvim", "site")
	if m.clone != "" {
		w.run(nil, "git", "clone", "--quiet", "file://"+repository, filepath.Join(site, m.clone))
	}
	all := ""
	if m.needs != "" {
		all = cachedManagers(t, m.needs)
	}
	init := strings.NewReplacer("REPOSITORY", repository, "MANAGERS", all, "SITE", site).Replace(m.init)
	w.write(filepath.Join(w.home, "config_home", "nvim", "init.lua"), init)

	p := w.plugged(nvim, "main.go")
	p.is("2", "vim.fn.exists(':Redline')")
	p.run("Redline rename greet to salute")
	p.holds("#require('redline.hunks').list() == 2")
	p.is("1", "#vim.lsp.get_clients({ name = 'redline' })")
	p.is("33", "require('redline.config').get().chat_width")
	p.run("edit other.go") // another file attaches to the same server
	p.attached()
	for _, tag := range []string{"redline", "redline-settings", "redline-installation"} { // lazy.nvim makes tags of the README too
		p.run("help " + tag)
		p.is("redline.txt", "vim.fn.expand('%:t')")
		p.run("close")
	}
	health := p.health()
	if !strings.Contains(health, "the plugin is in ") || strings.Contains(health, "more than once") {
		t.Errorf("the health check says\n%s", health)
	}
	if notes := p.lua("table.concat(Notes, '\\n')"); strings.Contains(notes, "rror") {
		t.Errorf("Neovim said: %s", notes)
	}
}

// repositoryOfPlugin makes a Git repository of what the plugin needs of this one, as it is in the
// working tree.
func repositoryOfPlugin(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(tempDir(t), "redline")
	for _, part := range []string{"README.md", "plugin", "lua", "editors/nvim"} {
		to := filepath.Join(dir, part)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		from := filepath.Join("..", "..", part)
		if info, err := os.Stat(from); err == nil && info.IsDir() {
			if err := os.CopyFS(to, os.DirFS(from)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=a"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	return dir
}

// cachedManagers returns the folder of plugin managers. It skips the test if that one is not there.
func cachedManagers(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(filepath.Dir(filepath.Dir(cached("x"))), "nvim-plugins")
	if _, err := os.Stat(filepath.Join(dir, name, "lua")); err != nil {
		t.Skipf("%s is not here: run .ci/install-editors", name)
	}
	return dir
}

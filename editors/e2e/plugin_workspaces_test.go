package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// Two workspaces in one Neovim have a server each: a request goes to the server of the file that it
// is about, even while that server is still starting, and both have a plan 1 of their own.
func TestNeovimPluginTwoWorkspaces(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"a/.git/HEAD": "", "a/a.go": before, "b/.git/HEAD": "", "b/b.go": before})
		p := w.plugged(nvim, filepath.Join("a", "a.go"))
		p.attached()
		p.run("edit b/b.go | Redline rename greet to salute in *.go")
		p.holds("#require('redline.hunks').list() == 2 and Drawn():find('salute', 1, true) ~= nil")
		// An answer that arrives after a change of buffers is still about the other workspace.
		p.run("lua require('redline.plans').fetch(function() Fetched = true end) vim.cmd.edit('a/a.go')")
		p.holds("Fetched == true")
		p.is("0", "#require('redline.hunks').list()")
		p.is("", "require('redline').statusline()")
		p.run("Redline rename greet to wave in *.go")
		p.holds("#require('redline.hunks').list() == 2 and Drawn():find('wave', 1, true) ~= nil")

		p.run("Redline approve plan")
		p.is("completed", "State(1)")
		p.is(strings.TrimSuffix(strings.ReplaceAll(after, "salute", "wave"), "\n"), "Text('a/a.go')")
		p.is(strings.TrimSuffix(before, "\n"), "Text('b/b.go')")
		p.run("edit b/b.go")
		p.is("awaiting_approval", "State(1)")
		p.run("Redline approve plan")
		p.is("completed", "State(1)")
		p.is(strings.TrimSuffix(after, "\n"), "Text('b/b.go')")
		p.run("Redline undo")
		p.is(strings.TrimSuffix(before, "\n"), "Text('b/b.go')")
		p.is(strings.TrimSuffix(strings.ReplaceAll(after, "salute", "wave"), "\n"), "Text('a/a.go')")
	})
}

// A request that is sent before the server has started is not lost, and the workspace is found when
// Neovim is started in one of its subfolders.
func TestNeovimPluginAtOnceFromSubfolder(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before, "sub/sub.go": before})
		top := w.dir
		w.dir = filepath.Join(top, "sub")
		p := w.plugged(nvim, "sub.go")
		p.run("Redline rename greet to salute in *.go")
		p.holds("#require('redline.hunks').list() == 2")
		p.run("Redline approve plan")
		p.is("completed", "State(1)")
		p.is(strings.TrimSuffix(after, "\n"), "Text('sub/sub.go')")
		p.is(strings.TrimSuffix(after, "\n"), "Text('workspace/main.go')")
	})
}

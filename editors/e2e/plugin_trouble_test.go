package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The server is killed in the middle of an approval: before the editor has seen an edit, and after
// the editor has made one that the server does not know of. The plugin reports it and starts the
// server again, the plan is still there, and in the end each edit was made once.
func TestNeovimPluginKilledWhileApproving(t *testing.T) {
	for _, c := range []struct{ name, rule, state, waiting string }{
		{"before the edit is made", kill, "State(1) == 'awaiting_approval'", "2"},
		// A part of the plan is applied, and the rest can be approved.
		{"after the edit was made", lose, "State(1) == 'reviewing' or State(1) == 'failed'", "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachPlugin(t, func(t *testing.T, nvim string) {
				w := pluginWorld(t, map[string]string{"main.go": before, "other.go": before})
				relay := w.relayed()
				p := w.plugged(nvim, "main.go")
				p.attached()
				p.run("Redline rename greet to salute in *.go")
				p.holds("#require('redline.hunks').list() == 2")

				relay.rule(t, c.rule, "main.go")
				p.run("Redline approve plan")
				p.holds("Noted('the server ended and is restarting; your plans are kept. See `:Redline log`.')")
				p.attached()
				p.holds(c.state)
				p.is(c.waiting, "#require('redline.hunks').list()")

				p.run("Redline approve plan")
				p.is("completed", "State(1)")
				p.is(after[:len(after)-1], "Text('main.go')")
				p.is(after[:len(after)-1], "Text('other.go')")
				p.run("Redline undo 1")
				p.is("awaiting_approval", "State(1)")
				p.is(before[:len(before)-1], "Text('main.go')")
				p.is(before[:len(before)-1], "Text('other.go')")
			})
		})
	}
}

// Without the program, the plugin says once what to do when a file is opened, and so does its
// health check. Once the program is installed, the server can be started.
func TestNeovimPluginWithoutServer(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before, "other.go": before})
		late := filepath.Join(w.home, "bin")
		w.env[0] = "PATH=" + late + string(os.PathListSeparator) + os.Getenv("PATH")
		p := w.plugged(nvim, "main.go")
		p.holds("Noted('cannot find `redline`: install it with `npm install -g redline-lsp`')")
		p.run("edit other.go")
		p.is("1", "#Notes")
		p.run("Redline rename greet to salute")
		p.is("2", "#Notes")
		p.says("ERROR", "cannot find `redline`", "npm install -g redline-lsp", "go install")

		if err := os.MkdirAll(late, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(bin, "redline"), filepath.Join(late, "redline")); err != nil {
			t.Fatal(err)
		}
		p.run("Redline start")
		p.attached()
		p.run("Redline rename greet to salute in other.go")
		p.holds("#require('redline.hunks').list() == 2")
	})
}

// A server that ends as soon as it starts is not restarted for ever, and the plugin offers the log.
func TestNeovimPluginServerKeepsEnding(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		script := filepath.Join(w.home, "bin", "redline")
		w.write(script, "#!/bin/sh\necho started >>'"+filepath.Join(w.home, "starts")+"'\necho broken on purpose >&2\nexit 1\n")
		if err := os.Chmod(script, 0o755); err != nil {
			t.Fatal(err)
		}
		w.env[0] = "PATH=" + filepath.Dir(script) + string(os.PathListSeparator) + os.Getenv("PATH")
		p := w.plugged(nvim, "main.go")
		p.holds("Noted('the server keeps ending: see `:Redline log`. `:Redline start` tries again.')")
		starts, err := os.ReadFile(filepath.Join(w.home, "starts"))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(starts), "\n"); n != 4 {
			t.Errorf("it was started %d times, want once and three times again", n)
		}
		p.run("Redline log")
		p.holds("table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n'):find('broken on purpose', 1, true) ~= nil")
	})
}

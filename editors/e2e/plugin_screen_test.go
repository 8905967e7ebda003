package e2e

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// screened is a Neovim with the plugin on a screen of its own: the test types and sees what a user
// types and sees. Lua in its server reports its state.
type screened struct {
	*terminal
	server *plugged
}

// screened starts a Neovim that shows a file. init is more of its init.lua, after the line with the
// plugin's path.
func (w *world) screened(nvim, init, file string) *screened {
	w.t.Helper()
	s := w.screenedAtOnce(nvim, init, file)
	s.server.attached()
	return s
}

// screenedAtOnce does not wait for the server.
func (w *world) screenedAtOnce(nvim, init, file string) *screened {
	w.t.Helper()
	w.write(filepath.Join(w.home, "config_home", "nvim", "init.lua"), "vim.opt.rtp:prepend([["+plugin(w.t)+"]])\n"+
		"vim.o.timeoutlen = 60000\n"+ // the keys of one mapping may come slowly on a busy machine
		init)
	server := w.headless(nvim, "-n", file).tty.(headless)
	// The screen is a separate process: the newest Neovim cannot start one by itself where it runs
	// with another C library than the machine's.
	w.env = append(w.env, "COLORTERM=truecolor")
	term := w.terminal(nvim, "--server", server.socket, "--remote-ui")
	s := &screened{term, &plugged{&terminal{t: w.t, tty: server}, server}}
	s.shows(file)
	s.server.run("lua State = function(n) return (require('redline.plans').get(n) or {}).state or '' end")
	return s
}

// command types a command line with a user's keys.
func (s *screened) command(line string) {
	s.t.Helper()
	s.write(":" + line)
	s.await("it is typed", func(screen string) bool { return strings.HasSuffix(lastLine(screen), ":"+line) })
	s.press("Enter")
}

// resize sets the size of the screen.
func (s *screened) resize(columns, rows int) {
	s.t.Helper()
	if out, err := s.tty.(tmux).command("resize-window", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows)).CombinedOutput(); err != nil {
		s.t.Fatalf("tmux: %v\n%s", err, out)
	}
}

// lines returns n numbered lines of a form.
func lines(from, to int, line string) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, line+"\n", i)
	}
	return b.String()
}

// versionName names a picture by its version of Neovim.
func versionName(t *testing.T) string {
	if strings.Contains(t.Name(), "/0.10") {
		return "0.10"
	}
	return "0.12"
}

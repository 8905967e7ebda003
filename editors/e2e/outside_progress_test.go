package e2e

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// guarded is the address at which an agent by ACP, see [outsidetest.Main], waits for the test.
type guarded struct {
	t *testing.T
	net.Listener
}

// mender has an agent that speaks ACP do every request.
func (w *world) mender() guarded {
	w.t.Helper()
	w.needsTrials()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { listener.Close() })
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	tools := filepath.Join(filepath.Dir(w.home), "tools")
	if err := os.MkdirAll(tools, 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(tools, "acp-agent")); err != nil {
		w.t.Fatal(err)
	}
	w.allows("mender", fmt.Sprintf("acp = [\"acp-agent\"]\nstate = [\"~/.acp-agent\"]\nkeep = [\"~/.acp-agent/sessions/\"]\nnetwork = [%q]\n", listener.Addr()))
	return guarded{w.t, listener}
}

// arrives waits until the agent is at the gate.
func (g guarded) arrives() net.Conn {
	g.t.Helper()
	until := time.Now().Add(patience)
	_ = g.Listener.(*net.TCPListener).SetDeadline(until)
	at, err := g.Accept()
	if err == nil {
		err = at.SetDeadline(until)
	}
	if err != nil {
		g.t.Fatalf("the agent does not come: %v", err)
	}
	g.t.Cleanup(func() { at.Close() })
	return at
}

// works has the agent do a job, at whose gates the user sees what it does, until the plan is ready.
func (g guarded) works(w *world, file string, ask func(request string), sees, ready func(texts ...string)) {
	g.t.Helper()
	w.write(filepath.Join(w.dir, "job"), strings.ReplaceAll("wait GATE\nplan\nwait GATE\nduring GATE execute make check\nwrite "+file+" greet Ben\nsay All is greeted.\n", "GATE", g.Addr().String()))
	ask("follow job")
	for _, text := range []string{"mender works in a copy", "step 2 of 2: act", "make check"} {
		at := g.arrives()
		sees(text)
		fmt.Fprintln(at, "pass")
	}
	ready("plan 1 is ready")
	w.wantPlan("awaiting_approval", "pending")
	if made := w.planned(); made.By != "mender" || !strings.HasPrefix(made.Description, "Made by mender in a copy of the workspace.") || !strings.Contains(made.Description, "It ran `make check`.") {
		g.t.Errorf("the plan is %+v", made)
	}
}

// isCancelled has the agent work until the user cancels it.
func (g guarded) isCancelled(ask func(request string), cancel func()) {
	g.t.Helper()
	ask("hang " + g.Addr().String())
	line := bufio.NewScanner(g.arrives())
	if !line.Scan() || line.Text() != "hanging" {
		g.t.Fatalf("it says %q, %v", line.Text(), line.Err())
	}
	cancel()
	if !line.Scan() || line.Text() != "cancelled" || line.Scan() || line.Err() != nil {
		g.t.Errorf("after the cancel it says %q, %v", line.Text(), line.Err())
	}
}

// While an agent works in its copy, the user sees who does, which step of its plan it does, and what it
// runs while it runs; a turn that the user cancels ends the agent; and its plan says who made it.
func TestHelixShowsAgentsAtWork(t *testing.T) {
	path, _ := findHelix(t)
	w := newWorld(t, map[string]string{"people.md": "greet Ada\n"})
	gate := w.mender()
	w.write(filepath.Join(w.home, "config_home", "helix", "config.toml"), snippet(t, "helix", "To see what Redline is doing, add this to `~/.config/helix/config.toml`:", "toml"))
	h := startHelix(w, path, "people.md", "greet Ada")
	gate.works(w, "people.md", h.ask, h.shows, h.shows)
	h.preview()
	h.shows("Made by mender in a copy of the workspace.")
	h.open("people.md", "greet Ada")
	gate.isCancelled(h.ask, func() { h.act("cancel the running turn", "the turn was cancelled") })
	h.act("approve plan 1", "greet Ben")
	w.wantPlan("completed", "applied")
	h.save()
	h.quit()
	w.has("people.md", "greet Ada\ngreet Ben\n")
}

// Eglot shows no progress, so that a message says who works, once.
func TestEglotShowsAgentsAtWork(t *testing.T) {
	path, _ := findEmacs(t)
	w := newWorld(t, map[string]string{"people.txt": "greet Ada\n"})
	gate := w.mender()
	e := startEmacs(w, path, "people.txt", "greet Ada")
	gate.works(w, "people.txt", e.ask, func(texts ...string) {
		if texts[0] == "mender works in a copy" {
			e.terminal.shows("Redline: still at work: " + texts[0])
		}
	}, e.terminal.shows)
	gate.isCancelled(e.ask, func() { e.act("cancel the running turn", "the turn was cancelled") })
	e.act("approve plan 1", "greet Ben")
	w.wantPlan("completed", "applied")
	e.quit()
}

func TestEmacsShowsAgentsAtWork(t *testing.T) {
	path, _ := editor(t, "REDLINE_EMACS", "emacs")
	w := newWorld(t, map[string]string{"people.txt": "greet Ada\n"})
	gate := w.mender()
	p := startPackaged(w, path, "people.txt", "greet Ada", "")
	gate.works(w, "people.txt", p.ask, func(texts ...string) { p.terminal.shows("Redline[" + texts[0] + "]") }, p.terminal.shows)
	p.proposes("1")
	gate.isCancelled(p.ask, func() { p.key("c") })
	p.terminal.shows("the turn was cancelled")
	p.key("A")
	w.wantPlan("completed", "applied")
	p.quit()
}

func TestNeovimShowsAgentsAtWork(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"people.md": "greet Ada\n"})
		gate := w.mender()
		s := w.screened(nvim, "vim.o.laststatus = 2\nvim.o.statusline = \"%f %{v:lua.require'redline'.statusline()}\"\n", "people.md")
		ask := func(request string) { s.command("Redline " + request) }
		gate.works(w, "people.md", ask, func(texts ...string) { s.shows("people.md Redline: "+texts[0]+"…", "\nRedline: "+texts[0]+"…") }, s.shows)
		gate.isCancelled(ask, func() { s.command("Redline cancel") })
		s.shows("the turn was cancelled.")
		s.write(`\rA`)
		w.wantPlan("completed", "applied")
	})
}

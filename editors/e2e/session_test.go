package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// session is one editor on a screen, which reaches the server through a relay. Its keys mean the
// same in Neovim and in Helix.
type session struct {
	*terminal
	w     *world
	relay *relay
	ask   string // the editor's command line that sends a command to the server, up to the command's name
	helix bool
}

// eachEditor runs a test in Neovim 0.7, in the newest Neovim and in Helix at the same time. Each of
// the workspace's files has the text; the first file is shown. start, which may be nil, runs before
// the editor.
func eachEditor(t *testing.T, text string, files []string, start func(*world, string), test func(*testing.T, *session, string)) {
	eachOf(t, sessionEditors, text, files, start, test)
}

// sessionEditor returns the path of an editor that supports sessions.
type sessionEditor struct{ name, variable, path, cached string }

var (
	sessionEditors = []sessionEditor{
		{"neovim", "REDLINE_NVIM", "nvim", ""},
		{"neovim-newest", "REDLINE_NVIM_NEW", cached("nvim"), ""},
		{"helix", "REDLINE_HX", "hx", cached("hx")},
	}
	neovim10 = sessionEditor{"neovim-0.10", "REDLINE_NVIM_OLDEST", cached("nvim-0.10"), ""}
)

// eachOf is eachEditor for the given editors.
func eachOf(t *testing.T, editors []sessionEditor, text string, files []string, start func(*world, string), test func(*testing.T, *session, string)) {
	for _, e := range editors {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			candidates := []string{e.path}
			if e.cached != "" {
				candidates = append(candidates, e.cached)
			}
			path, version := editor(t, e.variable, candidates...)
			t.Log(version)
			texts := map[string]string{}
			for _, name := range files {
				texts[name] = text
			}
			w := newWorld(t, texts)
			if start != nil {
				start(w, e.name)
			}
			s := &session{w: w, relay: w.relayed()}
			command := []string{path, files[0]}
			if e.name == "helix" {
				s.ask, s.helix = "lsp-workspace-command", true
				w.write(filepath.Join(w.home, "config_home", "helix", "languages.toml"), snippet(t, "helix", "# Redline in Helix", "toml"))
			} else {
				s.ask = "Ask"
				w.write(filepath.Join(w.home, "config_home", "nvim", "init.lua"), snippet(t, "nvim", neovimHeading(version), "lua"))
				driver, err := filepath.Abs(filepath.Join("testdata", "ask.lua"))
				if err != nil {
					t.Fatal(err)
				}
				command = []string{path, "-n", "-c", "luafile " + driver, files[0]}
			}
			if e.name == "helix" {
				s.terminal = w.terminal(unprivileged(command)...)
			} else {
				s.terminal = w.headless(command...)
			}
			s.relay.awaitSaid(t, "the first file is open", 0, func(m string) bool {
				return strings.HasPrefix(m, "editor:") && strings.Contains(m, "textDocument/didOpen")
			})
			test(t, s, e.name)
			s.end("qa!")
		})
	}
}

// unprivileged starts a command so that file permissions apply to it even when the tests run as
// root.
func unprivileged(command []string) []string {
	if _, err := exec.LookPath("setpriv"); err != nil || os.Geteuid() != 0 {
		return command
	}
	return append([]string{"setpriv", "--bounding-set=-dac_override,-dac_read_search"}, command...)
}

// show shows a file and waits until the server knows it.
func (s *session) show(name string) {
	t := s.w.t
	t.Helper()
	s.do("e " + name)
	if s.helix {
		helix{s.terminal}.normal(name)
	}
	s.relay.awaitSaid(t, name+" is open", 0, func(m string) bool {
		return strings.HasPrefix(m, "editor:") && strings.Contains(m, "textDocument/didOpen") && strings.Contains(m, "/"+name+`"`)
	})
}

// request sends a command to the server and returns the position in the log before it.
func (s *session) request(command, argument string) (since int) {
	since = len(s.relay.said(0))
	s.do(s.ask + " " + command + " " + argument)
	return since
}

// plan sends a request, waits until the plan is ready and shows a file.
func (s *session) plan(request, show string) {
	t := s.w.t
	t.Helper()
	argument, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	since := s.request("redline.chat", strings.ReplaceAll(string(argument), "\ufeff", `\ufeff`))
	s.relay.awaitSaid(t, "the plan is ready", since, func(m string) bool {
		return strings.Contains(m, "window/showMessage") && strings.Contains(m, "is ready")
	})
	if s.helix {
		s.shows("**Goal:** ") // it opens the preview, which interrupts typing
	}
	s.show(show)
}

// answer waits for the server's answer to a command that decides: a result or an error.
func (s *session) answer(since int) (state, refusal string) {
	t := s.w.t
	t.Helper()
	line := s.relay.awaitSaid(t, "the decision is answered", since, func(m string) bool {
		return strings.HasPrefix(m, "server:") && !strings.Contains(m, `"method":`) &&
			(strings.Contains(m, `"files":`) || strings.Contains(m, `"error":`))
	})
	var m struct {
		Result struct {
			State string
			Files []struct{ Status string }
		}
		Error struct{ Message string }
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "server:")), &m); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	underway := m.Result.State == "executing" // an undo keeps the state that the plan had
	for _, f := range m.Result.Files {
		underway = underway || f.Status == "applying"
	}
	if !underway {
		return m.Result.State, m.Error.Message
	}
	// If the command took longer than a command may, a message reports the end; it is no refusal if
	// its type is Info (LSP 3.18, MessageType 3).
	line = s.relay.awaitSaid(t, "what came of it is told", since, func(m string) bool {
		return strings.Contains(m, "window/showMessage") && (strings.Contains(m, "plan 1: ") || strings.Contains(m, "was not changed"))
	})
	if strings.Contains(line, `"type":3`) {
		line = ""
	}
	return s.planned().State, line
}

// typeLine types a line at the top of the current file.
func (s *session) typeLine(text string) {
	s.w.t.Helper()
	s.write("ggO" + text)
	s.press("Escape")
	s.await("the line "+text+" is typed", func(screen string) bool {
		return strings.Contains(screen, text) && !strings.Contains(screen, "-- INSERT --") && !strings.Contains(screen, " INS ")
	})
}

// saved saves all files and waits until one of them has the wanted text.
func (s *session) saved(name, want string) {
	s.w.t.Helper()
	s.do("wa!") // Helix may mistake a file that it has just written for one that another program has changed
	s.w.awaitText(name, want)
}

// planned returns plan 1 as `redline plans show --json` prints it.
type planned struct {
	State, By, Description string

	NotCarried []struct{ Path, Reason string }
	Files      []struct {
		Path, Status, Reason string
		Hunks                []struct{ ID, Status string }
	}
}

func (s *session) planned() planned { return s.w.planned() }

func (w *world) planned() planned {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(bin, "redline"), "plans", "show", "1", "--json", "--dir", w.dir)
	cmd.Env = w.env
	out, err := cmd.Output()
	var p planned
	if err == nil {
		err = json.Unmarshal(out, &p)
	}
	if err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
	return p
}

// pending fails the test unless nothing of the plan is applied.
func (s *session) pending() {
	s.w.t.Helper()
	p := s.planned()
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			if h.Status != "pending" {
				s.w.t.Errorf("hunk %s of %s is %s: %s", h.ID, f.Path, h.Status, f.Reason)
			}
		}
	}
	if p.State != "awaiting_approval" {
		s.w.t.Errorf("the plan is %s", p.State)
	}
}

package e2e

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// eval evaluates a Lisp expression in Emacs.
func (p packaged) eval(expression string) {
	p.t.Helper()
	p.press("M-:")
	p.terminal.shows("\nEval:")
	p.write(expression)
	p.press("Enter")
}

// TestEmacsCommands runs the commands that the eight steps do not use, by their keys.
func TestEmacsCommands(t *testing.T) {
	path, version := editor(t, "REDLINE_EMACS", "emacs")
	t.Log(version)
	w := newWorld(t, map[string]string{"a.txt": "greet Ada\n", "b.txt": "greet Ben\n"})
	p := startPackaged(w, path, "a.txt", "greet Ada", "")

	p.key("n")
	p.terminal.shows("Redline: no changes wait for you")
	if said := p.said.text(); !strings.Contains(said, "Redline: no changes wait for you\n") {
		t.Errorf("Emacs did not write down what it said, but %q", said)
	}
	p.key("v")
	p.terminal.shows("Redline: no plan waits for you.")
	p.key("l")
	p.terminal.shows("Redline: no plans yet")
	p.key("a")
	p.terminal.shows("Redline: no proposed change here.  C-c r n goes to the next")
	p.key("f")
	p.terminal.shows("Flymake shows no problem on this line")
	p.key("c")
	p.terminal.shows("Redline: nothing is running")

	// The preview opens by itself, without taking the focus; a plan with a command asks for
	// confirmation of the command.
	p.ask("rename greet to salute in a.txt then run echo sold")
	p.proposes("1")
	p.terminal.shows("# Plan 1, revision 1", "C-c r n goes to a change, C-c r A")
	p.press("C-x", "1")
	p.key("A")
	p.terminal.shows("Plan 1 also has commands.  Run `echo sold'?")
	p.press("y")
	p.terminal.shows("salute Ada", "Redline[save a.txt to run `echo sold`]") // in the mode line, while it waits
	p.press("C-x", "C-s")
	p.terminal.shows("`echo sold`: exit code 0")
	p.settled()
	w.awaitText("a.txt", "salute Ada\n")

	// A change is rejected with a reason, and undoing the plan reverts what was applied.
	p.ask("rename salute to hail in a.txt")
	p.proposes("1")
	p.press("C-x", "1", "M-<", "C-u")
	p.key("k")
	p.terminal.shows("\nReason:")
	p.write("too old")
	p.press("Enter")
	p.settled()

	// A file that no window shows is changed in a buffer, which stays unsaved.
	p.ask("rename greet to salute in b.txt")
	p.terminal.shows("# Plan 3, revision 1")
	p.press("C-x", "1")
	p.key("n")
	p.terminal.shows(" b.txt ", "greet Ben", "salute Ben")
	p.key("K")
	p.settled()
	p.ask("rename greet to salute in b.txt")
	p.terminal.shows("# Plan 4, revision 1")
	p.press("C-x", "1", "C-x", "k", "Enter") // b.txt is closed
	p.key("A")
	p.terminal.shows("Not saved yet: b.txt")
	w.has("b.txt", "greet Ben\n")
	p.press("C-x", "s", "!")
	w.awaitText("b.txt", "salute Ben\n")

	p.key("l")
	p.terminal.shows("\nPlan:") // Enter takes the newest one
	p.press("Tab")
	p.terminal.shows("4: rename greet to salute in b.txt (completed)", "3: rename greet to salute in b.txt (cancelled)", "1: ")
	p.write("1:")
	p.press("Tab", "Enter")
	p.terminal.shows(" 0001-r1.md ", "# Plan 1, revision 1")
	p.press("C-x", "1")
	p.press("C-u", "2")
	p.key("v")
	p.terminal.shows(" 0002-r1.md ")

	// The server asks for the page too, after its answer or before; that opens no other window.
	p.press("C-x", "1")
	p.eval(`(let ((c (cdar redline--connections))) (while (< 0 (redline--pages c)) (accept-process-output nil 0.05)) (list 'windows (length (window-list))))`)
	p.terminal.shows("(windows 1)")

	// A question about a region.
	p.press("C-x", "1", "C-x", "b")
	p.write("a.txt")
	p.press("Enter")
	p.terminal.shows("F1  a.txt ", "salute Ada") // the preview has the line too
	p.press("C-x", "h")
	p.key("r")
	p.terminal.shows("\nRedline, about the region:")
	p.write(`replace "Ada" with "Eve"`)
	p.press("Enter")
	p.proposes("1")
	p.terminal.shows("salute Eve")
	p.quit()
}

// TestEmacsLeavesTheMinibufferAlone shows that a preview that comes while the user types in the
// minibuffer is shown, and does not take what is typed.
func TestEmacsLeavesTheMinibufferAlone(t *testing.T) {
	t.Parallel()
	path, version := editor(t, "REDLINE_EMACS", "emacs")
	t.Log(version)
	w := newWorld(t, map[string]string{"a.txt": "one\n", "b.txt": "the preview\n"})
	p := startPackaged(w, path, "a.txt", "one", `(add-hook 'minibuffer-setup-hook (lambda () (redline--pop-to (find-file-noselect "b.txt"))))`)
	p.press("C-x", "b")
	p.terminal.shows("Switch to buffer")
	p.write("typed")
	p.press("Enter")
	p.terminal.shows("F1  typed ", "the preview")
	p.quit()
	w.awaitText("b.txt", "the preview\n")
}

// TestEmacsTypesMeanwhile shows that a proposed change moves with the text that the user types, and
// stays pending.
func TestEmacsTypesMeanwhile(t *testing.T) {
	path, _ := editor(t, "REDLINE_EMACS", "emacs")
	w := newWorld(t, map[string]string{"a.txt": "one\n\ngreet 😀 Ada\n"})
	p := startPackaged(w, path, "a.txt", "greet", "")
	p.ask("rename greet to salute in a.txt")
	p.proposes("1")
	p.press("C-x", "1", "M-<")
	p.write("zero")
	p.press("Enter")
	p.key("n")
	p.terminal.shows("change 1 of 1 here")
	p.key("a")
	w.wantHunks("applied")
	p.settled()
	p.terminal.shows("salute 😀 Ada")
	p.press("C-x", "u") // Emacs's own undo reverts it in one step; once that is saved, the change is pending again
	p.terminal.shows("zero\n", "greet 😀 Ada")
	p.press("C-x", "C-s")
	p.proposes("1")
	p.key("a")
	w.wantHunks("applied")
	p.settled()
	p.press("C-x", "C-s")
	w.awaitText("a.txt", "zero\none\n\nsalute 😀 Ada\n")
	p.quit()
}

// TestEmacsServerEnds kills the server: Emacs reports it and starts it again, and the plan is still
// there.
func TestEmacsServerEnds(t *testing.T) {
	path, _ := editor(t, "REDLINE_EMACS", "emacs")
	w := newWorld(t, map[string]string{"a.txt": "greet Ada\n"})
	p := startPackaged(w, path, "a.txt", "greet", "")
	p.ask("rename greet to salute in a.txt")
	p.proposes("1")
	p.press("C-x", "1")
	const kill = "(kill-process (jsonrpc--process (cdar redline--connections)))"
	p.eval("(progn (setf (redline--began (cdar redline--connections)) 0) " + kill + ")")
	p.terminal.shows("Server exited and is restarting.  Your plans are kept")
	p.proposes("1")
	p.eval("(progn (setf (redline--began (cdar redline--connections)) (float-time)) " + kill + ")")
	p.terminal.shows("Server exited at once.  M-x redline-start tries again", " a.txt ", "(Text)")
	p.do("redline-start")
	p.proposes("1")
	p.key("n")
	p.terminal.shows("change 1 of 1 here")
	p.key("a")
	w.wantHunks("applied")
	p.settled()
	p.do("redline-mode") // off: the server shuts down as LSP requires
	p.await("the mode line has no Redline", func(screen string) bool { return !strings.Contains(screen, " Redline") })
	p.quit()
}

// TestEmacsWithoutRedline shows that Emacs reports the missing program before anything is typed.
func TestEmacsWithoutRedline(t *testing.T) {
	path, _ := editor(t, "REDLINE_EMACS", "emacs")
	w := newWorld(t, map[string]string{"a.txt": "greet Ada\n"})
	p := startConfigured(w, path, "a.txt", "greet", snippet(t, "emacs", "# Redline in Emacs", "elisp")+`(setq redline-command '("no-such-redline" "serve"))`)
	p.key("r")
	p.terminal.shows("Redline: cannot find ", "no-such-redline", ": put it on your PATH, or set ")
	p.quit()
}

// TestEmacsShowsWhatIsDone asks an endpoint that never answers, and one where nothing listens: the
// mode line shows what is under way, and the echo area shows the error.
func TestEmacsShowsWhatIsDone(t *testing.T) {
	path, _ := editor(t, "REDLINE_EMACS", "emacs")
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer dead.Close()
	w := newWorld(t, map[string]string{"a.txt": "greet Ada\n"})
	w.env = append(w.env, "OPENAI_BASE_URL=http://"+dead.Addr().String()+"/v1", "REDLINE_MODEL=dead")
	p := startPackaged(w, path, "a.txt", "greet", "")
	p.key("r")
	p.terminal.shows("\nRedline:")
	p.write("say hello")
	asked := time.Now()
	p.press("Enter")
	p.await("the mode line says what is under way", func(screen string) bool {
		return strings.Contains(screen, " Redline[") && !strings.Contains(screen, " Redline[0")
	})
	t.Logf("the mode line says so %d ms after the key, Redline's start included", time.Since(asked).Milliseconds())
	p.shot("emacs-dead", stepRequest)
	p.key("c")
	p.terminal.shows("the turn was cancelled")
	p.settled()
	p.quit()

	_ = os.Remove(filepath.Join(w.home, ".emacs.d", "init.el"))
	dead.Close()
	p = startPackaged(w, path, "a.txt", "greet", "")
	p.ask("say hello")
	p.terminal.shows("Redline: ", "refused")
	p.quit()
}

// TestEmacsCreatesFiles approves a plan that creates, moves and deletes files. Redline sees all
// buffers of Emacs.
func TestEmacsCreatesFiles(t *testing.T) {
	path, _ := editor(t, "REDLINE_EMACS", "emacs")
	w := newWorld(t, map[string]string{"notes.txt": "greet\n"})
	w.planHere(creating())
	p := startPackaged(w, path, "notes.txt", "greet", "")
	p.terminal.shows("(Text Redline") // it has been here before
	p.key("A")
	w.wantPlanned("completed", func(p planned) string { return p.State })
	p.press("C-x", "s", "!")
	w.awaitCreated()
	p.key("u")
	w.wantPlanned("awaiting_approval", func(p planned) string { return p.State })
	w.lacksCreated()
	p.quit()
}

// TestEmacsChatFile uses the chat file: saving it sends what was written there.
func TestEmacsChatFile(t *testing.T) {
	path, _ := editor(t, "REDLINE_EMACS", "emacs")
	w := newWorld(t, map[string]string{"notes.txt": "greet\n"})
	p := startPackaged(w, path, "notes.txt", "greet", "")
	p.do("redline-start")
	p.terminal.shows("(Text Redline)")
	p.key("w")
	p.terminal.shows(" chat.md ", "## You")
	p.write("rename greet to salute in notes.txt\n\n/send\n")
	p.press("C-x", "C-s")
	p.terminal.shows("## Redline", "plan 1 is ready")
	p.quit()
}

// TestEmacsTries runs a trial, shows its output, and reworks the plan, with the keys of the page.
func TestEmacsTries(t *testing.T) {
	path, _ := editor(t, "REDLINE_EMACS", "emacs")
	w := trying(t, newWorld, "sum.txt")
	p := startPackaged(w, path, "sum.txt", "echo", "")
	p.ask("turn the sum round")
	p.proposes("1")
	p.press("C-x", "1")
	p.key("o")
	p.terminal.shows("nothing was tried on plan 1")
	p.key("t")
	p.terminal.shows("Try command (empty:")
	p.press("Enter")
	p.terminal.shows("Allow trials here?")
	p.press("y")
	p.terminal.shows("`sh check.sh` fails now on what plan 1")
	p.key("o")
	p.terminal.shows("*redline output*", "$ sh check.sh", "fails now, after", "2 and 3 are -1")
	p.press("C-x", "1")
	p.key("F")
	p.terminal.shows("plan 1, revision 2, is ready")
	w.leftNothing("sum.txt")
	p.quit()
}

// TestEmacsWithEightColours shows changes in black on red and green, which are readable with any
// colours of the terminal.
func TestEmacsWithEightColours(t *testing.T) {
	path, _ := editor(t, "REDLINE_EMACS", "emacs")
	w := newWorld(t, map[string]string{"a.txt": "greet Ada\n"})
	w.run(nil, filepath.Join(bin, "redline"), "init", "emacs", "--write")
	p := packaged{emacs{w.terminal("env", "TERM=linux", path, "-nw", "a.txt"), w.dir}}
	p.terminal.shows("greet")
	p.ask("rename greet to salute in a.txt")
	p.proposes("1")
	black := regexp.MustCompile(`\x1b\[30m\x1b\[41mgreet Ada *\n\x1b\[42msalute Ada`)
	p.await("the change is in black on red and green", func(string) bool {
		out, _ := p.tty.(tmux).command("capture-pane", "-e", "-p").Output()
		return black.Match(out)
	})
	p.quit()
}

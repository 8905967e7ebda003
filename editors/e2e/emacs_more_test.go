package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/model/modeltest"
	"redline/internal/sshtest"
)

// The menu shows the keys in 80 columns and stays open while changes are decided; a change is scrolled
// into view with its new lines; Ediff compares the file with what the plan makes of it.
func TestEmacsReviewsInAMenu(t *testing.T) {
	path, version := editor(t, "REDLINE_EMACS", "emacs")
	t.Log(version)
	far := strings.Repeat("a line\n", 21)
	w := newWorld(t, map[string]string{"a.txt": far + "greet Ada\ngreet Ben\ngreet Eve\nthe end\n"})
	p := startPackaged(w, path, "a.txt", "a line", "")
	p.resize(80, 24)

	p.ask("rename greet to salute in a.txt")
	p.proposes("1")
	p.press("C-x", "1", "M-<")
	p.key("n") // the old lines are on the screen, and the new ones would be below it
	p.terminal.shows("change 1 of 1 here", "greet Eve", "salute Ada", "salute Eve")
	p.shot("emacs-menu", "1-next")

	p.key("e")
	p.terminal.shows("*Ediff Control Panel*   diff 1 of 1", "a.txt, plan 1")
	p.shot("emacs-menu", "2-ediff")
	p.press("q")
	p.terminal.shows("Quit this Ediff session? (y or n)")
	p.press("y")
	p.await("the proposed text is gone", func(screen string) bool { return !strings.Contains(screen, "Ediff") })

	p.press("C-x", "1")
	p.key("?")
	p.terminal.shows("n next", "a approve", "A approve the rest", "w chat", "m model")
	p.shot("emacs-menu", "3-menu")
	p.press("a")
	p.await("it is approved, and the menu open", func(screen string) bool {
		return holds(screen, "salute Ada", "a approve") && !holds(screen, "greet Ada")
	})
	p.press("C-g")
	p.press("C-x", "C-s")
	w.awaitText("a.txt", far+"salute Ada\nsalute Ben\nsalute Eve\nthe end\n")
	p.quit()
}

// An answer appears in the chat as it comes, and is no text of the file.
func TestEmacsStreamsAnswers(t *testing.T) {
	path, version := editor(t, "REDLINE_EMACS", "emacs")
	t.Log(version)
	w := newWorld(t, map[string]string{"a.txt": before})
	w.withScripted()
	p := startPackaged(w, path, "a.txt", "func greet() {}", "")
	p.ask(renameIn + "a.txt.")
	p.proposes("2")
	p.press("C-x", "1")
	p.key("w")
	p.terminal.shows(" chat.md ", "## You")
	p.press("C-x", "1")
	p.ask(think)
	p.terminal.shows("thought 1\n", "thought 5\n")
	p.shot("emacs-chat", "1-streams")
	p.terminal.shows("thought 60\n") // the chat scrolls with it
	p.eval(`(list 'in-the-file (string-match-p "thought" (buffer-string)))`)
	p.terminal.shows("(in-the-file nil)")
	p.key("c")
	p.terminal.shows("the turn was cancelled")
	p.await("the answer is gone", func(screen string) bool { return !strings.Contains(screen, "thought 6") })
	p.quit()
}

// Answers of several turns do not mix, and none stays when the server ends.
func TestEmacsDropsAnswers(t *testing.T) {
	path, version := editor(t, "REDLINE_EMACS", "emacs")
	t.Log(version)
	w := newWorld(t, map[string]string{"a.txt": before})
	w.withScripted()
	p := startPackaged(w, path, "a.txt", "func greet() {}", "")
	p.ask(renameIn + "a.txt.")
	p.proposes("2")
	p.press("C-x", "1")
	p.key("w")
	p.terminal.shows(" chat.md ", "## You")
	p.press("C-x", "1")
	p.eval(`(dolist (said '(("t8" "one ") ("t9" "two ") ("t8" "more") ("t9" "else")))
		(redline--stream (cdar redline--connections) (list :kind "token" :turn (car said) :text (cadr said))))`)
	p.terminal.shows("one more")
	p.eval(`(redline--stream (cdar redline--connections) (list :kind "turn.finished" :turn "t8"))`)
	p.terminal.shows("two else")
	p.eval(`(signal-process (jsonrpc--process (cdar redline--connections)) 'kill)`)
	p.await("the answer is gone", func(screen string) bool { return !strings.Contains(screen, "two else") })
	p.quit()
}

// A request in a comment is sent by a key, or by a code action.
func TestEmacsAsksInComments(t *testing.T) {
	path, version := editor(t, "REDLINE_EMACS", "emacs")
	t.Log(version)
	w := newWorld(t, map[string]string{"a.el": "(defun greet ())\n;; redline: rename greet to salute in a.el\n", "b.el": ";; redline: rename wave to nod in b.el\n(defun wave ())\n"})
	p := startPackaged(w, path, "a.el", "(defun greet ())", "")
	p.key(`\;`) // as tmux wants it
	p.terminal.shows("There is no comment that starts with")
	p.press("Down")
	p.key(`\;`)
	p.proposes("1") // the comment goes with it
	p.press("C-x", "1")
	p.key("A")
	p.await("the comment is gone", func(screen string) bool { return holds(screen, "(defun salute ())") && !holds(screen, "redline:") })

	p.visit(filepath.Join(w.dir, "b.el"), "wave")
	p.key("x")
	p.terminal.shows("\nRedline:")
	p.write("plan this")
	p.press("Tab", "Enter")
	p.terminal.shows("(defun nod ())")
	p.quit()
}

// The model is one of those that the endpoint lists, and the agent one of the user's own.
func TestEmacsChooses(t *testing.T) {
	path, version := editor(t, "REDLINE_EMACS", "emacs")
	t.Log(version)
	w := newWorld(t, map[string]string{
		"a.txt": before,
		filepath.Join(".redline", "agents", "careful.md"): "---\nmode: primary\ndescription: looks twice\n---\nLook twice.\n",
	})
	model := w.modelled(modeltest.Stream(modeltest.Text("Hello.")))
	w.env = append(w.env, "OPENAI_BASE_URL="+listing(t, w, "scripted", "large"))
	p := startPackaged(w, path, "a.txt", "func greet() {}", "")
	p.key("m")
	p.terminal.shows("\nModel:")
	p.write("lar")
	p.press("Tab", "Enter")
	p.terminal.shows("Redline: the model is large, until you leave Emacs")
	p.key("g")
	p.terminal.shows("\nAgent:")
	p.write("care")
	p.press("Tab", "Enter")
	p.terminal.shows("careful")
	p.ask("hello")
	p.terminal.shows("Hello.")
	p.quit()
	if r := model.Requests()[0]; r.Model != "large" || !strings.Contains(string(r.Body), "Look twice.") {
		t.Errorf("asked was %q:\n%s", r.Model, r.Body)
	}
}

// visit visits a file.
func (p packaged) visit(path, text string) {
	p.t.Helper()
	p.press("C-x", "C-f")
	p.terminal.shows("\nFind file:")
	p.press("C-a", "C-k")
	p.write(path)
	p.press("Enter")
	p.terminal.shows("F1  "+filepath.Base(path), text)
}

// mock is a method of TRAMP whose other machine is this one, as in TRAMP's own tests.
const mock = `(require 'tramp)
(add-to-list 'tramp-methods '("mock" (tramp-login-program "/bin/sh") (tramp-login-args (("-i")))
                              (tramp-remote-shell "/bin/sh") (tramp-remote-shell-args ("-c")) (tramp-connection-timeout 10)))
(add-to-list (quote tramp-default-host-alist) (list "^mock$" nil (system-name)))
(setq tramp-persistency-file-name nil tramp-allow-unsafe-temporary-files t)
`

// In a file on another machine, TRAMP runs Redline there; where it is not installed, Redline says so.
func TestEmacsOverTramp(t *testing.T) {
	path, version := editor(t, "REDLINE_EMACS", "emacs")
	t.Log(version)
	w := newWorld(t, map[string]string{"a.txt": "first\ngreet Ada\n", "b.txt": "first\ngreet Ben\n"})
	p := startPackaged(w, path, "a.txt", "greet Ada", mock)
	p.visit("/mock::"+filepath.Join(w.dir, "a.txt"), "greet Ada")
	p.key("r")
	p.terminal.shows("cannot find ‘redline’ on /mock:", "install it there")
	p.eval(`(progn (add-to-list 'tramp-remote-path "` + bin + `") (tramp-cleanup-all-connections) 'again)`)
	p.terminal.shows("again")
	p.salutes(w)
}

// In a file that TRAMP reaches by ssh, Redline runs at the other end, behind a real sshd.
func TestEmacsOverSSH(t *testing.T) {
	path, version := editor(t, "REDLINE_EMACS", "emacs")
	t.Log(version)
	w := newWorld(t, map[string]string{"a.txt": "first\ngreet Ada\n", "b.txt": "first\ngreet Ben\n"})
	server := sshtest.Start(t, w.env...)
	w.env[0] = "PATH=" + server.Bin + string(os.PathListSeparator) + os.Getenv("PATH") // without Redline at this end
	p := startPackaged(w, path, "a.txt", "greet Ada", `(require 'tramp)
(setq tramp-persistency-file-name nil tramp-allow-unsafe-temporary-files t tramp-use-ssh-controlmaster-options nil)
(with-eval-after-load 'tramp-sh (add-to-list 'tramp-remote-path "`+bin+`"))
`)
	p.visit(fmt.Sprintf("/ssh:%s@127.0.0.1#%d:%s", server.User, server.Port, filepath.Join(w.dir, "a.txt")), "greet Ada")
	p.eval(`(list 'visits (file-remote-p buffer-file-name 'method))`)
	p.terminal.shows(`(visits "ssh")`)
	p.salutes(w)
}

// salutes asks for a change of a.txt and b.txt in a file on another machine, and approves it.
func (p packaged) salutes(w *world) {
	p.t.Helper()
	p.ask("rename greet to salute in *.txt")
	p.proposes("1")
	p.terminal.shows("# Plan 1, revision 1")
	p.press("C-x", "1")
	p.key("n")
	p.terminal.shows("salute Ada", "change 1 of 1 here")
	p.key("a")
	p.await("it is in the text", func(screen string) bool { return holds(screen, "salute Ada") && !holds(screen, "greet Ada") })
	p.key("n")
	p.terminal.shows(" b.txt ", "salute Ben")
	p.eval(`(list 'remote (not (null (file-remote-p buffer-file-name))))`)
	p.terminal.shows(`(remote t)`)
	p.key("A")
	p.terminal.shows("Not saved yet: ")
	p.press("C-x", "s", "!")
	w.awaitText("a.txt", "first\nsalute Ada\n")
	w.awaitText("b.txt", "first\nsalute Ben\n")
	p.quit()
}

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// emacs drives Emacs.
type emacs struct{ *terminal }

// do runs a command of Emacs by its name.
func (e emacs) do(command string) {
	e.t.Helper()
	e.press("M-x")
	e.shows("\nM-x")
	e.write(command)
	e.press("Enter")
}

// open shows a file, by its path from the workspace, once Redline serves it.
func (e emacs) open(name string) {
	e.t.Helper()
	e.press("C-x", "C-f")
	e.shows("\nFind file:")
	e.press("C-a", "C-k") // the folder of the file that is shown
	e.write(name)
	e.press("Enter")
	e.await(name+" is shown and served", func(screen string) bool {
		return strings.Contains(screen, " "+filepath.Base(name)+" ") && strings.Contains(screen, "[eglot:")
	})
}

// save saves the file that is shown.
func (e emacs) save() {
	e.t.Helper()
	e.press("C-x", "C-s")
	e.await("the file is saved", func(screen string) bool { return !strings.Contains(screen, ":**-") })
}

// act opens the code actions, takes the first, which must have the title, and
// says yes when Eglot asks whether the server may change a file. Until the
// screen shows what came of it.
func (e emacs) act(title, until string) {
	e.t.Helper()
	e.await("there is a code action "+title, func(string) bool {
		e.do("eglot-code-actions")
		screen := e.await("the code actions are shown", func(screen string) bool {
			return strings.Contains(screen, "Pick an action") || strings.Contains(screen, "No code actions")
		})
		if strings.Contains(screen, "Redline: "+title) {
			return true
		}
		e.await("the question is gone", func(screen string) bool {
			if !strings.Contains(screen, "Pick an action") {
				return true
			}
			e.press("C-g")
			return false
		})
		return false
	})
	e.press("Enter")
	asked := false
	e.await("the screen shows "+until, func(screen string) bool {
		if !strings.Contains(screen, "(y or n)") {
			asked = false
		} else if !asked {
			asked = true
			e.press("y")
		}
		return strings.Contains(screen, until)
	})
}

// TestEmacs does the main job in Emacs with Eglot: in a text file, and from
// the chat file.
func TestEmacs(t *testing.T) {
	path, version := editor(t, "REDLINE_EMACS", "emacs")
	if out, err := exec.Command(path, "--batch", "--eval", "(require 'eglot)").CombinedOutput(); err != nil {
		t.Skipf("Emacs has no Eglot: run .ci/install-editors (%s)", out)
	}
	t.Log(version)
	w := newWorld(t, map[string]string{"notes.txt": before, "other.txt": "one two\n"})
	config := filepath.Join(w.home, "init.el")
	w.write(config, snippet(t, "emacs", "# Redline in Emacs", "elisp"))
	// Emacs compiles its own packages when they are first used; what it warns
	// about then would cover the screen.
	e := emacs{w.terminal(path, "-nw", "-q", "--eval", "(setq native-comp-async-report-warnings-errors nil)", "-l", config, "notes.txt")}
	e.shows("func greet() {}", "[eglot:")

	e.do("redline")
	e.shows("\nRedline:")
	e.write("rename greet to salute in notes.txt")
	e.press("Enter")
	e.await("the change is proposed", func(screen string) bool {
		return strings.Contains(screen, "plan 1 is ready") || strings.Contains(screen, "Flymake[0 0 ")
	})
	e.shows("func greet() {}")
	e.press("C-s")
	e.write("greet")
	e.press("Enter")
	e.act("approve this change (plan 1, h1)", "func salute() {}")
	e.shows("func main() { greet() }", "Flymake[0 0 1]")
	w.has("notes.txt", before)
	e.press("C-_") // undo
	e.shows("func greet() {}")

	chat := filepath.Join(w.dir, ".redline", "chat.md")
	e.open(chat)
	e.write("## You\n\n/plan replace \"two\" with \"three\" in other.txt\n")
	e.act("send", "## Redline")
	e.save()
	e.open(filepath.Join(w.dir, "other.txt"))
	e.shows("one two")
	e.act("approve this change (plan 2, h", "one three")
	e.save()
	e.do("kill-emacs")
	e.await("Emacs has ended", func(screen string) bool { return screen == "" })
	w.has("notes.txt", before)
	w.has("other.txt", "one three\n")
}

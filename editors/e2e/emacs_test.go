package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// emacs drives Emacs.
type emacs struct {
	*terminal
	dir string // the workspace
}

// startEmacs shows a file in Emacs, configured as the page says, and waits
// until Redline serves it.
func startEmacs(w *world, path, file, text string) emacs {
	w.t.Helper()
	e := openEmacs(w, path, file, text)
	e.shows("[eglot:")
	return e
}

// openEmacs is startEmacs without waiting for a server.
func openEmacs(w *world, path, file, text string) emacs {
	w.t.Helper()
	dir := filepath.Join(w.home, "config_home", "emacs")
	w.write(filepath.Join(dir, "early-init.el"), earlyInit)
	w.write(filepath.Join(dir, "init.el"), snippet(w.t, "emacs", "### Redline inside Eglot", "elisp"))
	w.writePackage(filepath.Join(dir, "redline"))
	return w.emacs(path, file, text)
}

// emacs starts Emacs with a file, and waits until the text is on its screen.
func (w *world) emacs(path, file, text string) emacs {
	w.t.Helper()
	e := emacs{w.terminal(path, "-nw", file), w.dir}
	e.said = &said{path: filepath.Join(w.home, "said")}
	e.shows(text)
	return e
}

// earlyInit keeps Emacs from compiling its own packages again in each world, and from opening a
// window with the warnings. It also writes down what Emacs says: see [terminal.shows].
const earlyInit = `(setq native-comp-deferred-compilation nil native-comp-jit-compilation nil)
(defun e2e-write-down (text)
  (when (stringp text)
    (let ((coding-system-for-write 'utf-8) (inhibit-message t) message-log-max)
      (write-region (concat text "\n") nil "~/said" t 'silent)))
  text)
(advice-add 'message :filter-return #'e2e-write-down)
`

// writePackage writes the package for Emacs into a folder.
func (w *world) writePackage(dir string) {
	w.t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "emacs", "*.el"))
	if err != nil || len(names) == 0 {
		w.t.Fatalf("no package: %v", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			w.t.Fatal(err)
		}
		w.write(filepath.Join(dir, filepath.Base(name)), string(text))
	}
}

// do runs a command of Emacs by its name.
func (e emacs) do(command string) {
	e.t.Helper()
	e.press("M-x")
	e.terminal.shows("\nM-x")
	e.write(command)
	e.press("Enter")
}

// open shows a file of the workspace and waits until Redline serves it.
func (e emacs) open(name, text string) {
	e.t.Helper()
	e.press("C-x", "C-f")
	e.terminal.shows("\nFind file:")
	e.press("C-a", "C-k") // the folder of the file that is shown
	e.write(filepath.Join(e.dir, name))
	e.press("Enter")
	asked := false
	e.await(name+" is shown and served", func(screen string) bool {
		if !asked && strings.Contains(screen, "Reread from disk? (yes or no)") { // a preview that was written since
			asked = true
			e.write("yes")
			e.press("Enter")
		}
		return strings.Contains(screen, " "+filepath.Base(name)+" ") && strings.Contains(screen, "[eglot:") && strings.Contains(screen, text)
	})
}

// ask sends a request to Redline.
func (e emacs) ask(request string) {
	e.t.Helper()
	e.do("redline")
	e.terminal.shows("\nRedline:")
	e.write(request)
	e.press("Enter")
}

// act opens the code actions and takes the one whose title begins with the given text, until the
// screen shows the result. It answers yes if Eglot asks whether the server may change a file.
func (e emacs) act(title, until string) {
	e.t.Helper()
	e.await("there is a code action "+title, func(string) bool {
		e.do("eglot-code-actions")
		screen := e.await("the code actions are shown", func(screen string) bool {
			return strings.Contains(screen, "Pick an action") || strings.Contains(screen, "No code actions")
		})
		if !strings.Contains(screen, "Pick an action") {
			return false
		}
		e.write("Redline: " + title)
		e.press("Enter")
		screen = e.await("it is taken, or not there", func(screen string) bool {
			return !strings.Contains(screen, "Pick an action") || strings.Contains(screen, "No match")
		})
		if !strings.Contains(screen, "Pick an action") {
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
	e.shows(until)
}

func (e emacs) shows(texts ...string) {
	e.t.Helper()
	e.until("the screen shows "+strings.Join(texts, " and "), func(screen string) bool {
		for _, text := range texts {
			if lineOfText.MatchString(text) { // below the text is the result of the change at the cursor
				text = "\n" + text
			}
			if !holds(screen, text) {
				return false
			}
		}
		return true
	})
}

// lineOfText is the beginning of a line of the text that is changed.
var lineOfText = regexp.MustCompile(`^(?:greet|salute|func) `)

// until is await, but answers yes if Eglot asks whether the server may change a file.
func (e emacs) until(what string, condition func(screen string) bool) {
	e.t.Helper()
	answered := ""
	e.await(what, func(screen string) bool {
		question := eglotAsks.FindStringSubmatch(screen)
		if question == nil {
			answered = ""
			return condition(screen)
		}
		if file := question[1] + "?"; file != answered {
			e.press("y")
			answered = file
		}
		return false
	})
}

// eglotAsks matches Eglot's unanswered question on the last lines of a screen, and the file that it
// is about.
var eglotAsks = regexp.MustCompile(`(?:wants to edit:\s+(\S+)\s+)?\S[^\n]*\(y or n\) *(?:\[[^\n]*\s*(?:\n[^\n]*\]\s*)?)?\s*$`)

func (e emacs) preview() { e.open(".redline/plans/0001-r1.md", "# Plan 1, revision 1") }

func (e emacs) top() { e.press("M-<") }

func (e emacs) next() {
	e.t.Helper()
	e.await("changes are proposed", regexp.MustCompile(`Flymake\[0 0 [1-9]`).MatchString)
	e.do("flymake-goto-next-error")
}

func (e emacs) previous() { e.do("flymake-goto-prev-error") }

// peek asks again from time to time: Emacs drops an answer that arrives while it sends a request by
// itself.
func (e emacs) peek(texts ...string) {
	e.t.Helper()
	var again time.Time
	e.until("the change is shown", func(screen string) bool {
		if holds(screen, append(texts, hoverMark, "*eldoc*")...) {
			return true
		}
		if time.Now().After(again) {
			e.do("eldoc")
			again = time.Now().Add(patience / 18)
		}
		return false
	})
	e.press("C-x", "1")
	e.await("the window is closed", func(screen string) bool { return !holds(screen, "*eldoc*") && !holds(screen, hoverMark) })
}

func (e emacs) bereft() {
	e.t.Helper()
	e.until("the server is gone", func(screen string) bool {
		return !holds(screen, "[eglot:") || holds(screen, "Reconnected!") || holds(screen, "Server exited")
	})
	e.messages(regexp.MustCompile("Server exited"))
}

// restart starts the server again where Emacs does not do it by itself: it does not if the server
// ran for less than three seconds.
func (e emacs) restart() {
	e.t.Helper()
	if screen := e.messages(regexp.MustCompile("Reconnecting after|Not auto-reconnecting")); holds(screen, "Not auto-reconnecting") {
		e.do("eglot")
	}
	e.shows("[eglot:")
}

// messages waits until the last of Emacs's messages is the wanted one.
func (e emacs) messages(want *regexp.Regexp) string {
	e.t.Helper()
	e.press("C-h", "e")
	screen := e.await("it said "+want.String(), func(screen string) bool { return holds(screen, "*Messages*") && want.MatchString(screen) })
	e.press("C-x", "1")
	e.await("the window is closed", func(screen string) bool { return !holds(screen, "*Messages*") })
	return screen
}

// save saves all files.
func (e emacs) save() {
	e.t.Helper()
	e.press("C-u", "C-x", "s")
	e.await("the file is saved", func(screen string) bool {
		return modeLine.MatchString(screen) && !strings.Contains(screen, ":**-")
	})
}

func (e emacs) quit() {
	e.t.Helper()
	e.do("kill-emacs")
	e.await("Emacs has ended", func(screen string) bool { return screen == "" })
}

// TestEmacs does the main job in Emacs with Eglot: in a text file, and from
// the chat file.
func TestEmacs(t *testing.T) {
	path, version := findEmacs(t)
	t.Log(version)
	w := newWorld(t, map[string]string{"notes.txt": before, "other.txt": "one two\n"})
	e := startEmacs(w, path, "notes.txt", "func greet() {}")

	e.ask("rename greet to salute in notes.txt")
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

	e.open(".redline/chat.md", "")
	e.write("## You\n\n/plan replace \"two\" with \"three\" in other.txt\n")
	e.act("send", "## Redline")
	e.save()
	e.open("other.txt", "one two")
	e.act("approve this change (plan 2, h", "one three")
	e.terminal.shows(":**--F1  other.txt ") // Eglot shows the proposed line too, before the text has it
	e.save()
	e.quit()
	w.has("notes.txt", before)
	w.has("other.txt", "one three\n")
}

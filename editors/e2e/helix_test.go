package e2e

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// helix drives Helix.
type helix struct{ *terminal }

// startHelix shows a file in Helix, configured as the page says.
func startHelix(w *world, path, file, text string) helix {
	w.t.Helper()
	w.write(filepath.Join(w.home, "config_home", "helix", "languages.toml"), snippet(w.t, "helix", "# Redline in Helix", "toml"))
	h := helix{w.terminal(path, file)}
	h.normal(file, text)
	return h
}

// normal waits until Helix shows a file and is in normal mode. The spinner between the two may
// never stop: Helix loses the end of a request that arrives while a command line is open.
func (h helix) normal(name string, texts ...string) {
	h.t.Helper()
	status := regexp.MustCompile(` NOR . ` + regexp.QuoteMeta(name))
	h.await("Helix shows "+strings.Join(append(texts, name), " and "), func(screen string) bool {
		return status.MatchString(screen) && holds(screen, texts...)
	})
}

// open shows a file and waits for it.
func (h helix) open(name, text string) {
	h.t.Helper()
	h.do("open " + name)
	h.normal(name, text)
}

// send runs a command of the server and returns the screen at that moment.
func (h helix) send(command string) string {
	h.t.Helper()
	h.typeCommand("lsp-workspace-command " + command)
	h.await("the command is typed", func(screen string) bool { return strings.HasSuffix(lastLine(screen), command) })
	h.press("Enter")
	return h.await("the command is sent", func(screen string) bool { return !strings.HasPrefix(lastLine(screen), ":") })
}

// ask sends a request to Redline, once the server has started.
func (h helix) ask(request string) {
	h.t.Helper()
	h.await("the request is taken", func(string) bool {
		screen := h.send(fmt.Sprintf("redline.chat %q", request))
		return !strings.Contains(screen, "not support") && !strings.Contains(screen, "No active language servers")
	})
}

// act opens the code actions, takes the first whose title begins with the given text, and waits
// until the screen shows the result. A change that is still being verified is not offered yet, so
// act tries again until it is.
func (h helix) act(title, until string) {
	h.t.Helper()
	row := -1
	h.await("there is a code action "+title, func(string) bool {
		h.press("Space", "a")
		screen := h.await("the code actions are shown", func(screen string) bool {
			return strings.Contains(screen, " Redline: ") || helixHasNone.MatchString(screen)
		})
		n := 0
		for line := range strings.Lines(screen) {
			if strings.Contains(line, " Redline: "+title) {
				row = n
				return true
			}
			if strings.Contains(line, " Redline: ") {
				n++
			}
		}
		h.press("Escape")
		h.await("menu and message are gone", func(screen string) bool { // or the next try would find the old message
			return !strings.Contains(screen, " Redline: ") && !helixHasNone.MatchString(screen)
		})
		return false
	})
	for range row {
		h.press("Down")
	}
	h.press("Enter")
	h.await("the menu is closed", func(screen string) bool { return !strings.Contains(screen, " Redline: ") })
	h.shows(until)
}

// helixHasNone is part of Helix's message when there is no action, or no server yet.
var helixHasNone = regexp.MustCompile("No code actions|supports code actions")

// preview waits for the document that Redline shows in this editor.
func (h helix) preview() {
	h.t.Helper()
	h.shows("plans/0001-r1.md", "# Plan 1, revision 1", "**Goal:** ")
}

func (h helix) top() { h.press("g", "g") }

func (h helix) next() {
	h.t.Helper()
	h.shows("●") // beside a proposed change
	h.press("]", "d")
}

// previous presses the key twice: the first press only goes to the start of the change that next
// has selected.
func (h helix) previous() { h.press("[", "d", "[", "d") }

func (h helix) peek(texts ...string) {
	h.t.Helper()
	h.press("Space", "k")
	h.shows(append(texts, hoverMark)...)
	h.press("Escape")
	h.await("the popup is closed", func(screen string) bool { return !strings.Contains(screen, hoverMark) })
}

// bereft learns by asking that the server has ended: Helix only writes it to its log.
func (h helix) bereft() {
	h.t.Helper()
	h.await("there is no server", func(string) bool {
		return holds(h.send("redline.state"), "not support")
	})
}

func (h helix) restart() { h.do("lsp-restart redline") }

func (h helix) save() {
	h.t.Helper()
	h.do("write-all")
	h.await("all is saved", func(screen string) bool { return !strings.Contains(screen, "[+]") })
}

func (h helix) quit() {
	h.t.Helper()
	h.end("quit-all!")
}

// TestHelix does the main job in Helix: in an open file, in one that is not open, and for a
// comment.
func TestHelix(t *testing.T) {
	path, version := findHelix(t)
	t.Log(version)
	w := newWorld(t, map[string]string{"main.go": before, "other.go": before})
	h := startHelix(w, path, "main.go", "func greet() {}")

	h.ask("rename greet to salute in *.go")
	h.preview()
	h.open("main.go", "// salute says 😀 hello. … +1 line · change 1 of 4, plan 1")
	h.shows("func greet() {}")
	w.has("main.go", before)

	h.press("g", "g", "]", "d")
	h.act("approve plan 1", "func salute() {}")
	h.shows("// salute says 😀 hello.", "func main() { salute() }", "main.go [+]")
	h.open("other.go", "func salute() {}")
	h.press("u")
	h.shows("func greet() {}", "func main() { greet() }")
	h.open("main.go", "func salute() {}")
	h.press("u")
	h.shows("func greet() {}", "func main() { greet() }")
	h.press("U")
	h.shows("func salute() {}")
	w.has("main.go", before)
	w.has("other.go", before)

	h.do("5")
	h.press("i")
	h.write("// redline: rename salute to wave in main.go")
	h.press("Escape")
	h.normal("main.go [+]", "// redline: rename salute to wave in main.go")
	h.act("plan this request", "# Plan 2, revision 1")
	h.open("main.go", "· change 1 of ")
	h.act("approve plan 2", "func wave() {}")
	h.shows("func main() { wave() }")
	if screen := h.screen(); strings.Contains(screen, "redline:") {
		t.Errorf("the comment is still there:\n%s", screen)
	}
	h.save()
	h.quit()
	w.has("main.go", strings.Replace(strings.ReplaceAll(after, "salute", "wave"), "{}\n\n", "{}\n", 1))
	w.has("other.go", before)
}

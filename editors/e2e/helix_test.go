package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// helix drives Helix.
type helix struct{ *terminal }

// do runs a command of Helix.
func (h helix) do(command string) {
	h.t.Helper()
	h.write(":")
	h.await("the command line is open", func(screen string) bool {
		lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
		return strings.HasPrefix(lines[len(lines)-1], ":")
	})
	h.write(command)
	h.press("Enter")
}

// open shows a file and waits for it.
func (h helix) open(name, text string) {
	h.t.Helper()
	h.do("open " + name)
	h.shows(" NOR   "+name, text)
}

// act opens the code actions and takes the first whose title begins with what
// is given. A change that is still being verified is not offered yet, so it
// looks again until it is.
func (h helix) act(title string) {
	h.t.Helper()
	row := -1
	h.await("there is a code action "+title, func(string) bool {
		h.press("Space", "a")
		screen := h.await("the code actions are shown", func(screen string) bool {
			return strings.Contains(screen, " Redline: show plan") || strings.Contains(screen, " Redline: "+title) ||
				strings.Contains(screen, "No code actions")
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
		h.await("the menu is closed", func(screen string) bool { return !strings.Contains(screen, " Redline: show plan") })
		return false
	})
	for range row {
		h.press("Down")
	}
	h.press("Enter")
}

// TestHelix does the main job in Helix, in a file that is shown, in one that
// is not, and for a comment.
func TestHelix(t *testing.T) {
	path, version := editor(t, "REDLINE_HX", "hx", cached("hx"))
	t.Log(version)
	w := newWorld(t, map[string]string{"main.go": before, "other.go": before})
	w.write(filepath.Join(w.home, "config_home", "helix", "languages.toml"), snippet(t, "helix", "# Redline in Helix", "toml"))
	h := helix{w.terminal(path, "main.go")}
	h.shows("func greet() {}", " NOR   main.go")

	h.await("the request is taken", func(string) bool {
		h.do(`lsp-workspace-command redline.chat "rename greet to salute in *.go"`)
		screen := h.await("it is answered", func(screen string) bool {
			return strings.Contains(screen, "# Plan 1, revision 1") || strings.Contains(screen, "not supported")
		})
		return !strings.Contains(screen, "not supported") // the server has not started yet
	})
	h.shows("plans/0001-r1.md", "hash: sha256:")
	h.open("main.go", "plan 1, change 1 of 4")
	h.shows("func greet() {}")
	w.has("main.go", before)

	h.press("g", "g", "]", "d")
	h.act("approve plan 1")
	h.shows("func salute() {}", "// salute says 😀 hello.", "func main() { salute() }", "main.go [+]")
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
	h.shows(" NOR   main.go [+]", "// redline: rename salute to wave in main.go")
	h.act("plan this request")
	h.shows("# Plan 2, revision 1")
	h.open("main.go", "plan 2, change 1")
	h.act("approve plan 2")
	h.shows("func wave() {}", "func main() { wave() }")
	if screen := h.screen(); strings.Contains(screen, "redline:") {
		t.Errorf("the comment is still there:\n%s", screen)
	}
	h.do("write-all")
	h.await("the file is saved", func(screen string) bool { return !strings.Contains(screen, "[+]") })
	h.do("quit-all!")
	h.await("Helix has ended", func(screen string) bool { return screen == "" })
	w.has("main.go", strings.Replace(strings.ReplaceAll(after, "salute", "wave"), "{}\n\n", "{}\n", 1))
	w.has("other.go", before)
}

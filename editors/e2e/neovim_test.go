package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// neovim is a Neovim on a screen.
type neovim struct {
	*terminal
	old bool // older than 0.11
}

// startNeovim shows a file in Neovim, configured as the page says.
func startNeovim(w *world, path, version, file, text string) neovim {
	w.t.Helper()
	heading := neovimHeading(version)
	w.write(filepath.Join(w.home, "config_home", "nvim", "init.lua"), snippet(w.t, "nvim", heading, "lua"))
	var n neovim
	if heading == oldNeovim {
		n = neovim{w.terminal(path, "-n", file), true}
	} else { // a Neovim that is started through a loader of its own cannot start its screen process
		n = neovim{w.terminal(path, "--server", w.listening(path, "-n", file).socket, "--remote-ui"), false}
	}
	n.shows(text, file)
	return n
}

// settled is await where Neovim may be blocked by a message that must be confirmed.
func (n neovim) settled(what string, condition func(screen string) bool) string {
	n.t.Helper()
	confirmed := ""
	return n.await(what, func(screen string) bool {
		if !strings.Contains(screen, "Press ENTER") {
			return condition(screen)
		}
		if screen != confirmed {
			confirmed = screen
			n.press("Enter")
		}
		return false
	})
}

func (n neovim) shows(texts ...string) {
	n.t.Helper()
	n.settled("the screen shows "+strings.Join(texts, " and "), func(screen string) bool { return holds(screen, texts...) })
}

// calm waits until no message has to be confirmed.
func (n neovim) calm() {
	n.t.Helper()
	n.settled("nothing is to be confirmed", func(string) bool { return true })
}

// do runs a command of Neovim.
func (n neovim) do(command string) {
	n.t.Helper()
	n.calm()
	n.write(":" + command)
	n.await("it is typed", func(screen string) bool {
		return strings.HasSuffix(strings.ReplaceAll(strings.TrimRight(screen, "\n "), "\n", ""), ":"+command)
	})
	n.press("Enter")
}

func (n neovim) ask(request string) { n.do("Redline " + request) }

func (n neovim) open(name, text string) {
	n.t.Helper()
	n.do("drop " + name) // which does not read an open file again
	n.shows(name, text)
}

func (n neovim) preview() { n.open(".redline/plans/0001-r1.md", "# Plan 1, revision 1") }

func (n neovim) top() { n.write("gg") }

func (n neovim) next() {
	n.t.Helper()
	n.settled("changes are proposed", regexp.MustCompile(`(?m)^I `).MatchString) // beside each
	n.write("]d")
}

func (n neovim) previous() { n.write("[d") }

func (n neovim) peek(texts ...string) {
	n.t.Helper()
	n.calm()
	n.write("K")
	n.shows(append(texts, hoverMark)...)
	n.write("l") // leaves the window
	n.write("h")
	n.await("the window is closed", func(screen string) bool { return !strings.Contains(screen, hoverMark) })
}

// act opens the code actions, takes the first whose title begins with the given text, and waits
// until the screen shows the result.
func (n neovim) act(title, until string) {
	n.t.Helper()
	n.calm()
	item := regexp.MustCompile(`(?m)^(\d+): Redline: ` + regexp.QuoteMeta(title))
	n.await("there is a code action "+title, func(string) bool {
		// Not the bare keys: if a message asks for ENTER just now, it consumes the "g", and "ra"
		// replaces a character of the text.
		n.do("normal gra")
		again := time.Now().Add(5 * time.Second) // another message may have replaced "none"
		screen := n.settled("the code actions are shown", func(screen string) bool {
			return holds(screen, "Type number and <Enter>") || neovimHasNone.MatchString(screen) || time.Now().After(again)
		})
		if neovimHasNone.MatchString(screen) {
			n.do("echo") // or the next try would find the old message and type into the menu
			n.await("the message is gone", func(screen string) bool { return !neovimHasNone.MatchString(screen) })
			return false
		}
		if !holds(screen, "Type number and <Enter>") {
			n.press("Escape")
			return false
		}
		m := item.FindStringSubmatch(screen)
		if m != nil {
			n.write(m[1])
		}
		n.press("Enter")
		n.settled("the question is gone", func(screen string) bool { return !holds(screen, "Type number") })
		return m != nil
	})
	n.calm()
	n.top() // closes the window that ]d opens in older versions
	n.shows(until)
}

// neovimHasNone is part of Neovim's message when there is no action, or no server yet.
var neovimHasNone = regexp.MustCompile("No code actions available|is not supported by any")

// served waits until a server is attached.
func (n neovim) served() {
	n.t.Helper()
	n.await("a server is attached", func(string) bool {
		n.do("lua print('servers: ' .. #(vim.lsp.get_clients or vim.lsp.get_active_clients)())")
		screen := n.await("they are counted", regexp.MustCompile(`servers: \d\s`).MatchString)
		return !strings.Contains(screen, "servers: 0")
	})
}

func (n neovim) bereft() {
	n.t.Helper()
	n.await("it says that the server has ended", func(string) bool {
		n.do("messages")
		screen := n.await("it shows what it said", func(screen string) bool { return !strings.HasSuffix(strings.TrimSpace(screen), ":messages") })
		n.calm()
		return holds(screen, "quit with exit code")
	})
}

func (n neovim) restart() {
	if n.old {
		n.do("RedlineStart")
	} else {
		n.do("lua vim.lsp.enable('redline')")
	}
}

func (n neovim) save() { n.do("silent wall") }

func (n neovim) quit() {
	n.t.Helper()
	n.end("qall!")
}

func TestNeovim(t *testing.T) {
	path, version := findNeovim(t)
	driveNeovim(t, path, version)
}

func TestNeovimNewest(t *testing.T) {
	path, version := findNewestNeovim(t)
	driveNeovim(t, path, version)
}

// driveNeovim does the main job in a Neovim without a screen: in one buffer, in a file that is not
// open, and for a comment.
func driveNeovim(t *testing.T, nvim, version string) {
	w := newWorld(t, map[string]string{"main.go": before, "other.go": before})
	w.write(filepath.Join(w.home, "config_home", "nvim", "init.lua"), snippet(t, "nvim", neovimHeading(version), "lua"))
	driver, err := filepath.Abs(filepath.Join("testdata", "neovim.lua"))
	if err != nil {
		t.Fatal(err)
	}
	out := w.run(nil, nvim, "--headless", "-n", "-c", "luafile "+driver, "main.go")
	t.Logf("%s\n%s", version, out)
	if !strings.Contains(out, "the main job is done") {
		t.Error("the driver did not come to its end")
	}
	w.has("main.go", strings.ReplaceAll(after, "salute", "wave"))
	w.has("other.go", after)
}

// neovimHeading returns the heading of the configuration for a version.
func neovimHeading(version string) string {
	for _, old := range []string{"v0.7.", "v0.8.", "v0.9.", "v0.10."} {
		if strings.Contains(version, old) {
			return oldNeovim
		}
	}
	return "## Neovim 0.11 and newer"
}

const oldNeovim = "## Neovim 0.7 to 0.10"

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// shop is the text in the pictures.
var shop = map[string]string{
	"prices.go": "package shop\n\n// Total is what a customer pays.\nfunc Total(food, books int) int {\n\treturn food + books\n}\n",
	"report.go": "package shop\n\nimport \"fmt\"\n\n// Report prints the day's sales.\nfunc Report(food, books int) {\n\tfmt.Println(\"sales:\", Total(food, books))\n}\n",
}

// TestPicturesOfNeovim does the main job in Neovim with the plugin on a screen of 80 columns, and
// takes the documentation's pictures of it.
func TestPicturesOfNeovim(t *testing.T) {
	path, version := editor(t, "REDLINE_NVIM_NEW", cached("nvim"))
	w := pluginWorld(t, shop)
	w.write(filepath.Join(w.home, "config_home", "nvim", "init.lua"), "vim.opt.rtp:prepend([["+plugin(t)+"]])\n"+
		"vim.o.termguicolors = true\nvim.o.number = true\nvim.o.signcolumn = 'yes'\nvim.o.laststatus = 2\n"+
		"vim.o.statusline = \" %t %m%=%{v:lua.require'redline'.statusline()} \"\n")
	server := w.headless(path, "-n", "prices.go").tty.(headless)
	// The screen is a separate process: the newest Neovim cannot start one by itself where it runs
	// with another C library than the machine's.
	w.env = append(w.env, "COLORTERM=truecolor")
	c := w.terminal(path, "--server", server.socket, "--remote-ui").
		camera("neovim.svg", "Neovim: asking for a change, seeing it in the text, approving it and taking it back", version, 96, 16)
	p := &plugged{&terminal{t: t, tty: server}, server}
	p.attached()
	c.shows("func Total", "prices.go")

	c.write(":Redline rename Total to Sum in *.go")
	c.take("Ask in plain words", 3, ":Redline rename Total to Sum in *.go")
	c.press("Enter")
	c.take("See the change in your own text. Nothing is in the file yet", 5, "func Sum(food, books int) int {", "Redline: plan 1 is ready: 2 files, +3 −3.", "Redline: 2 changes")
	p.is("1", "vim.fn.maparg(']r', 'n', false, true).buffer")
	c.write("]r")
	p.is("3", "vim.fn.line('.')") // the comment has the name, too
	c.write("]r")
	c.take("]r goes on to the next change, in the next file", 4, "report.go", "Sum(food, books))", "change 2 of 2, plan 1.")
	c.write(":Redline approve plan")
	c.take("Approve the change, the file or the whole plan", 3, ":Redline approve plan", "Sum(food, books))")
	c.press("Enter")
	c.take("It is made in all files. You save them when you like", 4, "applied.", "Not saved yet: prices.go, report.go.", "[+]")
	p.is("completed", "require('redline.plans').get(1).state")
	c.write(":Redline undo")
	c.press("Enter")
	c.shows("taken ba")
	p.is("awaiting_approval", "require('redline.plans').get(1).state")
	c.press("C-l") // the message: which files it names depends on which ones the editor has reported
	c.await("it has gone", func(screen string) bool { return !strings.Contains(screen, "taken ba") })
	c.take("And taken back: what you have typed since stays", 4, "Total(food, books))", "Redline: 2 changes")
	c.develop()
	for name, text := range shop {
		w.has(name, text)
	}
}

// menu opens the code actions until one of them begins with this text, and returns how far below
// Redline's first action it is.
func (h helix) menu(title string) (row int) {
	h.t.Helper()
	h.await("there is a code action "+title, func(string) bool {
		h.press("Space", "a")
		screen := h.await("the code actions are shown", func(screen string) bool {
			return strings.Contains(screen, " Redline: ") || strings.Contains(screen, "No code actions") ||
				strings.Contains(screen, "supports code actions") // the server has not started yet
		})
		row = 0
		for line := range strings.Lines(screen) {
			switch {
			case strings.Contains(line, " Redline: "+title):
				return true
			case strings.Contains(line, " Redline: "):
				row++
			}
		}
		h.press("Escape")
		h.await("the menu is closed", func(screen string) bool { return !strings.Contains(screen, " Redline: ") })
		return false
	})
	return row
}

// TestPicturesOfHelix does the same in Helix.
func TestPicturesOfHelix(t *testing.T) {
	path, version := editor(t, "REDLINE_HX", "hx", cached("hx"))
	w := newWorld(t, shop)
	w.write(filepath.Join(w.home, "config_home", "helix", "languages.toml"), snippet(t, "helix", "# Redline in Helix", "toml"))
	w.env = append(w.env, "COLORTERM=truecolor")
	h := helix{w.terminal(path, "prices.go")}
	c := h.camera("helix.svg", "Helix: asking for a change in a comment, seeing it, approving it", version, 96, 22)
	c.shows("func Total", " NOR   prices.go")

	c.press("o")
	c.write("// redline: rename Total to Sum in *.go")
	c.press("Escape")
	c.shows(" NOR   prices.go [+]", "// redline: rename")
	h.menu("plan this request")
	c.take("Ask in a comment, and press Space a on it", 4, "Redline: plan this request", "// redline: rename")
	c.press("Enter")
	c.take("See the plan", 4, "# Plan 1, revision 1", "**Goal:** ", " NOR   ") // the turn has ended, see helix.normal
	h.open("prices.go", "// Sum is what a customer pays. … +1 line")
	c.press("g", "g", "]", "d", "]", "d") // to the second change: the menu opens below it and covers the lines there
	row := h.menu("approve plan 1")
	c.take("Each change is a diagnostic. Space a approves it, its file or the whole plan", 5, "Redline: approve plan 1", "// Sum is what a customer pays. … +1 line")
	for range row {
		c.press("Down")
	}
	c.press("Enter")
	c.take("It is made in all files. You save them when you like", 4, "func Sum(food, books int) int {", "prices.go [+]")
	c.develop()
	h.end("quit-all!")
	for name, text := range shop {
		w.has(name, text)
	}
}

package e2e

import (
	"strings"
	"testing"
)

// The keys of somebody who types while the model works go into their own text: no preview opens
// under them, and the message says where it is. On a screen of 80 columns the path and the command
// that an action runs are not cut off.
func TestHelixWhileTyping(t *testing.T) {
	path, version := findHelix(t)
	t.Log(version)
	w := newWorld(t, sales)
	m := w.withSeller()
	h := startHelix(w, path, "prices.go", "func Total")
	h.resize(80, 24)

	h.ask("Rename Total to Sum in *.go")
	happens(t, "the model is asked", m.asked, h.screen)
	h.press("g", "e", "o")
	h.write("// first ")
	h.shows(" INS ", "// first")
	for range 3 {
		m.reply <- struct{}{}
	}
	h.shows("plan 1 (not opened while you type: .redline/plans/0001-r1.md)")
	h.shot("helix-typing", "1-not-opened")
	h.write("and second")
	h.shows(" INS ", "prices.go [+]", "// first and second")
	h.press("Escape")
	h.normal("prices.go [+]", "// first and second")

	h.act("show plan 1", "# Plan 1, revision 1")
	if strings.Contains(h.screen(), "second") {
		t.Error("something of it was typed into the preview")
	}
	h.do("buffer-close!")
	h.normal("prices.go [+]", "// first and second")
	h.press("g", "g")
	h.next()
	h.peek("-// Total is what a customer pays.", "+// Sum is what a customer pays.")
	h.save()
	w.has("prices.go", sales["prices.go"]+"// first and second\n")
	h.quit()
}

// The menu of code actions takes no letters: the page says which keys it does take.
func TestHelixMenuKeys(t *testing.T) {
	path, version := findHelix(t)
	t.Log(version)
	w := newWorld(t, map[string]string{"main.go": before, "other.go": before})
	h := startHelix(w, path, "main.go", "func greet() {}")
	h.resize(80, 24)

	h.ask("rename greet to salute in main.go then run make test")
	h.preview()
	h.menu("run `make test` and approve plan 1: ")
	h.shot("helix-menu", "1-runs")
	h.press("Escape")
	h.normal(".redline/plans/0001-r1.md", "# Plan 1, revision 1")
	h.open("main.go", "· change 1 o")
	h.next()
	h.menu("reject this change")
	h.press("C-n", "Tab", "C-p", "BTab", "Down", "Enter")
	h.await("it is rejected", func(screen string) bool { return !strings.Contains(screen, "· change 1 o") })
	h.quit()
	w.has("main.go", before)
}

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPicturesOfAgents has an agent of others work in a copy, approves what it has changed in Helix, and
// takes the documentation's pictures of it.
func TestPicturesOfAgents(t *testing.T) {
	path, version := editor(t, "REDLINE_HX", "hx", cached("hx"))
	w := newWorld(t, shop)
	w.needsTrials()
	w.write(filepath.Join(w.dir, "test.sh"), "grep -q 'func Sum' prices.go && ! grep -n Total *.go\n")
	w.agent("mender", "cat >/dev/null\nsed -i s/Total/Sum/ *.go\nsh test.sh && echo 'Total is Sum now, and the tests pass.'\n", "none")
	w.write(filepath.Join(w.home, "config_home", "helix", "languages.toml"), snippet(t, "helix", "# Redline in Helix", "toml"))
	w.env = append(w.env, "COLORTERM=truecolor")
	h := helix{w.terminal(path, "prices.go")}
	c := h.camera("agents.svg", "An agent works in a copy, and you approve its changes in Helix", version, 104, 26)
	c.shows("func Total", " NOR   prices.go")

	h.ask("rename Total to Sum, and run the tests")
	c.take("An agent of yours has worked in a copy, tests and all. No file of yours has changed", 6, "# Plan 1, revision 1", "Made by mender in a copy", " NOR   ")
	h.open("prices.go", "· change 1 of ")
	h.menu("approve plan 1")
	c.take("Its changes are proposed on your own text: by hunk, by file or all", 5, "Redline: approve plan 1", "2 files, +3 −3")
	c.press("Escape")
	h.await("the menu is closed", func(screen string) bool { return !strings.Contains(screen, " Redline: ") }) // or the next key is one with Alt
	h.act("approve plan 1", "func Sum")
	h.open("prices.go", "func Sum")
	c.take("Approved: they are in your buffers, and can be undone", 5, "func Sum", "prices.go [+]")
	c.develop()
	h.end("quit-all!")
	for name, text := range shop {
		if !strings.HasSuffix(name, ".sh") {
			w.has(name, text)
		}
	}
}

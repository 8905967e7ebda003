package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPicturesOfTrials plays a model that tries its changes, in Helix, and takes the
// documentation's pictures of it.
func TestPicturesOfTrials(t *testing.T) {
	path, version := editor(t, "REDLINE_HX", "hx", cached("hx"))
	w := newWorld(t, shop)
	w.write(filepath.Join(w.dir, "test.sh"), "grep -q 'func Sum' prices.go && ! grep -n Total *.go && echo 'ok, nothing calls Total'\n")
	w.write(filepath.Join(w.home, "config_home", "redline", "config.toml"), "[trials]\nmode = \"on\"\n")
	if said := w.run(nil, filepath.Join(bin, "redline"), "trials", "status"); !strings.HasPrefix(said, "Commands may be tried") {
		t.Skip(said)
	}
	w.write(filepath.Join(w.home, "config_home", "helix", "languages.toml"), snippet(t, "helix", "# Redline in Helix", "toml"))
	w.env = append(w.env, "COLORTERM=truecolor")
	h := helix{w.terminal(path, "prices.go")}
	c := h.camera("trials.svg", "A plan whose tests have run before anybody approved it, in Helix", version, 112, 30)
	c.shows("func Total", " NOR   prices.go")

	c.press("o")
	c.write("// redline: rename Total to Sum in *.go then try sh test.sh")
	c.press("Escape")
	c.shows(" NOR   prices.go [+]", "// redline: rename")
	h.menu("plan this request")
	c.press("Enter")
	c.take("The plan says what was tried on it, with text that is not saved. No file has changed", 5, "# Plan 1, revision 1", "## Tried", "sh test.sh`: passed", " NOR   ")
	h.open("prices.go", "· change 1 of ")
	h.menu("approve plan 1")
	c.take("The approval says it too", 5, "Redline: approve plan 1", "passed")
	c.press("Escape")
	c.develop()
	h.end("quit-all!")
	for name, text := range shop {
		w.has(name, text)
	}
}

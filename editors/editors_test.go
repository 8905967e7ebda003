package editors

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// steps are what every page for plain LSP says how to do, in this order.
var steps = []string{
	"ask", "ask about a selection", "fix a problem", "see", "move", "try", "approve one", "reject one", "approve the rest",
	"undo", "cancel", "save", "talk",
}

// Each page says how to do each step, what the editor cannot do, what to do when
// the server ends, and whether any of this was tried.
func TestPagesHaveOneShape(t *testing.T) {
	for _, name := range []string{"nvim", "helix", "emacs", "kakoune", "kate", "sublime", "zed", "jetbrains"} {
		page := Page(name)
		at := strings.LastIndex(page, "## What to press\n")
		if at < 0 {
			t.Errorf("%s: the page does not say what to press", name)
			continue
		}
		page = page[at:]
		var got []string
		for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \|$`).FindAllStringSubmatch(page, -1) {
			if row[1] != "step" && row[1] != "---" {
				got = append(got, row[1])
			}
		}
		if !slices.Equal(got, steps) {
			t.Errorf("%s: the page has the steps %q, want %q", name, got, steps)
		}
		last := 0
		for _, part := range []string{"\n## What [A-Za-z ]+ cannot do\n", "\n## When the server ends\n", "\n(Tried|Not tried by us)"} {
			found := regexp.MustCompile(part).FindStringIndex(page)
			if found == nil || found[0] < last {
				t.Errorf("%s: the page has no %q, or in the wrong place", name, part)
				continue
			}
			last = found[0]
		}
	}
}

// Every block of TOML or JSON on a page can be read, starts the program that there
// is, and is what init writes.
func TestConfigurationCanBeRead(t *testing.T) {
	read := map[string]func([]byte, any) error{"toml": toml.Unmarshal, "json": json.Unmarshal}
	for _, k := range kinds {
		setup, err := For(k.name, Folders{Home: "/home", Config: "/config", Data: "/data"})
		if err != nil || len(setup.Files) == 0 {
			t.Fatalf("%s: %v, %v", k.name, setup, err)
		}
		for _, extra := range setup.Files[1:] {
			if parse := read[k.language]; !strings.Contains(Page(k.name), "```"+k.language+"\n"+extra.Text+"```\n") || parse == nil || parse([]byte(extra.Text), &map[string]any{}) != nil || !extra.Optional {
				t.Errorf("%s: init writes %+v", k.name, extra)
			}
		}
		text := setup.Files[0].Text
		if !strings.Contains(Page(k.name), "```"+k.language+"\n"+text+"```\n") {
			t.Errorf("%s: init writes what is not on the page:\n%s", k.name, text)
		}
		starts := cmp.Or(k.starts, "serve")
		if !strings.Contains(text, "redline") || !strings.Contains(text, starts) {
			t.Errorf("%s: it does not start redline %s:\n%s", k.name, starts, text)
		}
		if parse := read[k.language]; parse != nil {
			var v map[string]any
			if err := parse([]byte(text), &v); err != nil || len(v) == 0 {
				t.Errorf("%s: %v in\n%s", k.name, err, text)
			}
		}
	}
	if len(kinds) < 4 {
		t.Errorf("there are only %d configurations: does this test still look in the right place?", len(kinds))
	}
}

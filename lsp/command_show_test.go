package lsp

import (
	"strings"
	"testing"
	"time"

	"redline/lsp/command"
	"redline/lsp/lsptest"
)

// If an editor cannot show a document, refuses, fails or does not answer, a message says
// what to open.
func TestShowSaysWhatToOpen(t *testing.T) {
	no, errs, deaf := lsptest.Honest(), lsptest.Honest(), lsptest.Honest()
	no.ShowFails, errs.ShowErrs, deaf.Unanswered = true, true, []string{"window/showDocument"}
	for name, p := range map[string]lsptest.Profile{"cannot": lsptest.NeovimLike(), "says no": no, "fails": errs, "never answers": deaf} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir+"/a.txt", twoFruits)
			c := connectTo(t, p, dir, Options{NewAgent: builtinAgent(t), Timeouts: Timeouts{Request: 100 * time.Millisecond}})
			c.plan(`replace "apple" with "pear"`)
			_, err := c.Execute(c.ctx, command.Show, map[string]any{"plan": 1})
			c.must(err)
			c.await(lsptest.MessageContains("Redline: open .redline/plans/0001-r1.md."))
		})
	}
}

// An editor that has shown it gets no such message.
func TestShowIsQuietWhereItIsShown(t *testing.T) {
	c := connect(t, lsptest.Honest(), map[string]string{"a.txt": twoFruits})
	c.plan(`replace "apple" with "pear"`)
	_, err := c.Execute(c.ctx, command.Show, map[string]any{"view": "chat"})
	c.must(err)
	c.await(lsptest.ShownDocument(".redline/chat.md"))
	c.plan(`replace "three" with "3" in a.txt`) // its message comes after all others
	for _, m := range c.Messages() {
		if m.Text == "Redline: open .redline/chat.md." {
			t.Errorf("it is said what to open")
		}
	}
}

// The page of a trace folds by the parts of the turn, and has them as its outline.
func TestATraceFoldsByItsParts(t *testing.T) {
	c := connect(t, lsptest.Honest(), map[string]string{"a.txt": twoFruits})
	c.plan(`replace "apple" with "pear"`)
	_, err := c.Execute(c.ctx, command.Show, map[string]any{"view": "trace"})
	c.must(err)
	c.await(lsptest.ShownDocument(".redline/plans/trace.md"))
	symbols, err := c.Symbols(c.ctx, ".redline/plans/trace.md")
	c.must(err)
	folds, err := c.Folds(c.ctx, ".redline/plans/trace.md")
	c.must(err)
	if len(symbols) != 1 || len(symbols[0].Children) < 2 || !strings.HasPrefix(symbols[0].Children[0].Name, "Route: ") {
		t.Fatalf("the outline is %+v", symbols)
	}
	if parts := len(symbols[0].Children); len(folds) != parts+1 {
		t.Errorf("%d folds of %d parts and the page", len(folds), parts)
	}
}

// Two revisions are compared by the documents of their texts: by
// default the newest one and the one before it.
func TestShowComparesRevisions(t *testing.T) {
	c := connect(t, lsptest.Honest(), map[string]string{"a.txt": twoFruits})
	c.plan(`replace "apple" with "pear"`)
	_, err := c.Execute(c.ctx, command.Stage, map[string]any{"plan": 1, "clear": true})
	c.must(err)
	raw, err := c.Execute(c.ctx, command.Show, map[string]any{"plan": 1, "view": "compare"})
	c.must(err)
	want := `{"plan":1,"from":1,"to":2,"operations":["removed: o1 edit_file a.txt","removed: o2 edit_file a.txt"],"files":[` +
		`{"path":"a.txt","from":"redline:/plan/1/r1/a.txt?to=2","to":"redline:/plan/1/r2/a.txt?from=1"}]}`
	if string(raw) != want {
		t.Errorf("it is %s, want %s", raw, want)
	}
}

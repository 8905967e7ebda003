package lsp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/lsp/window"
)

// On a comment with a request, the action that sends it comes first, even where a plan has a
// change.
func TestTheRequestComesFirst(t *testing.T) {
	const code = "package p\n\n// redline: make it faster than an apple\nfunc f() {}\n"
	f := newFixture(t, client{}, map[string]string{"p.go": code})
	f.open("p.go", code)
	f.ask(`replace "apple" with "pear"`)
	var actions []struct{ Title, Kind string }
	if err := json.Unmarshal(f.actions("p.go", cursor(2, 4)), &actions); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range actions[:3] {
		got = append(got, a.Kind+" "+a.Title)
	}
	want := []string{
		"quickfix Redline: plan this request",
		"quickfix Redline: approve this change (plan 1, h1)", "quickfix Redline: reject this change (plan 1, h1)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// On a change the three likely next actions come first. The next change is the one below, then the
// one in the next file, and then the first one again.
func TestTheNextChangeIsThird(t *testing.T) {
	f := newFixture(t, client{window: window.Client{ShowDocument: true}}, map[string]string{"a.txt": twoFruits, "b.txt": "an apple\n", "c.txt": "-\n"})
	f.ask(`replace "apple" with "pear"`)
	for _, c := range []struct {
		name string
		line uint32
		want []string
	}{
		{"a.txt", 0, []string{"approve this change (plan 1, h1)", "reject this change (plan 1, h1)", "next change: a.txt (plan 1, change 2 of 3)"}},
		{"a.txt", 1, []string{"next change: a.txt (plan 1, change 2 of 3)"}},
		{"a.txt", 3, []string{"approve this change (plan 1, h2)", "reject this change (plan 1, h2)", "next change: b.txt (plan 1, change 3 of 3)"}},
		{"b.txt", 0, []string{"approve this change (plan 1, h3)", "reject this change (plan 1, h3)", "next change: a.txt (plan 1, change 1 of 3)"}},
		{".redline/plans/0001-r1.md", 0, []string{"next change: a.txt (plan 1, change 1 of 3)"}},
	} {
		got := titles(t, f.actions(c.name, cursor(c.line, 0)))
		if diff := cmp.Diff(c.want, got[:min(len(got), len(c.want))]); diff != "" {
			t.Errorf("%s, line %d (-want +got)\n%s", c.name, c.line, diff)
		}
	}
	for _, hunk := range []string{"h2", "h3"} {
		if _, err := f.run(command.Reject, map[string]any{"plan": 1, "hunk": hunk}); err != nil {
			t.Fatal(err)
		}
	}
	if got := titles(t, f.actions("a.txt", cursor(0, 0))); slices.ContainsFunc(got, isNext) {
		t.Errorf("there is no other change, and yet %q", got)
	}
}

func isNext(title string) bool { return strings.HasPrefix(title, "next change") }

// The action puts the cursor on the change, in a file that is not open.
func TestGoingToTheNextChange(t *testing.T) {
	c := connect(t, lsptest.HelixLike(), map[string]string{"a.txt": "an apple\n", "b.txt": "one\nan apple\n"})
	c.must(c.Open("a.txt"))
	_, err := c.Execute(c.ctx, command.Chat, `replace "apple" with "pear"`)
	c.must(err)
	c.await(lsptest.DiagnosticCode("a.txt", "1.h1"))
	raw, err := c.Execute(c.ctx, command.Show, map[string]any{"plan": 1, "view": "change", "path": "b.txt", "hunk": "h2"})
	c.must(err)
	if !strings.HasSuffix(string(raw), `/b.txt"}`) {
		t.Errorf("the result is %s", raw)
	}
	c.await(lsptest.ShownDocument("/b.txt"))
	if said := c.Transcript(); !strings.Contains(said, `"selection":{"start":{"line":1,"character":0},"end":{"line":1,"character":0}}`) {
		t.Errorf("it is not shown at its line:\n%s", said)
	}
	_, err = c.Execute(c.ctx, command.Reject, map[string]any{"plan": 1, "hunk": "h2"})
	c.must(err)
	for _, gone := range []map[string]any{
		{"plan": 1, "view": "change", "path": "b.txt", "hunk": "h2"}, {"plan": 1, "view": "change", "path": "c.txt", "hunk": "h2"},
		{"plan": 7, "view": "change", "path": "b.txt", "hunk": "h2"}, {"view": "change", "path": "b.txt"},
	} {
		if raw, err := c.Execute(c.ctx, command.Show, gone); err == nil {
			t.Errorf("%v is shown: %s", gone, raw)
		}
	}
}

// Completed plans have no actions, except to undo what was applied last.
func TestOldPlansHaveNoActions(t *testing.T) {
	c := connect(t, lsptest.HelixLike(), map[string]string{"a.txt": "an apple\n"})
	c.must(c.Open("a.txt"))
	offered := func() (list []string) {
		actions, err := c.CodeActions(c.ctx, "a.txt", lsptest.Range{})
		c.must(err)
		for _, a := range actions {
			list = append(list, strings.TrimPrefix(a.Title, "Redline: "))
		}
		return list
	}
	has := func(what string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, offered()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", what, diff)
		}
	}
	ask := func(n, from, to string) {
		_, err := c.Execute(c.ctx, command.Chat, map[string]any{"message": `replace "` + from + `" with "` + to + `"`, "mode": "plan"})
		c.must(err)
		c.await(lsptest.MessageContains("plan " + n + " is ready"))
	}
	decide := func(verb string, n int) {
		_, err := c.Execute(c.ctx, verb, map[string]any{"plan": n})
		c.must(err)
	}
	ask("1", "apple", "pear")
	decide(command.Reject, 1)
	has("after a rejection")
	ask("2", "apple", "plum")
	decide(command.Approve, 2)
	has("after an approval", "undo this change (plan 2, h1)", "undo plan 2", "show plan 2")
	ask("3", "an", "a")
	decide(command.Approve, 3)
	has("after another", "undo this change (plan 3, h1)", "undo plan 3", "show plan 3")
	ask("4", "plum", "fig")
	decide(command.Reject, 4)
	has("after a rejection of the last", "undo this change (plan 3, h1)", "undo plan 3", "show plan 3")
}

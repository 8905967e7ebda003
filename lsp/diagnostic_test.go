package lsp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/lsp/command"
	"redline/lsp/lsptest"
	"redline/lsp/position"
)

// An editor shows each hunk of a plan once, however it gets diagnostics: an editor that
// supports both ways gets them pushed, and pulling is not offered to it.
func TestDiagnosticsAreShownOnce(t *testing.T) {
	for _, p := range []lsptest.Profile{
		lsptest.Honest(), lsptest.VSCodeLike(), lsptest.NeovimLike(), lsptest.Neovim12Like(), lsptest.HelixLike(), lsptest.KateLike(), lsptest.PullLike(),
	} {
		t.Run(p.Name, func(t *testing.T) {
			c := connect(t, p, map[string]string{"a.txt": twoFruits, "b.txt": "apple\n"})
			c.must(c.Open("a.txt"))
			c.plan(`replace "apple" with "pear"`)
			c.await(codes("a.txt", "1.h1", "1.h2"))
			c.await(codes("b.txt", "1.h3"))
			pushed := strings.Contains(c.Transcript(), "textDocument/publishDiagnostics")
			pulled := strings.Contains(c.Transcript(), "textDocument/diagnostic")
			if pushed == p.OnlyPull || pulled != p.OnlyPull {
				t.Errorf("pushed: %v, pulled: %v", pushed, pulled)
			}
		})
	}
}

// codes expects exactly these diagnostics for a file.
func codes(path string, want ...string) lsptest.Expectation {
	return lsptest.Expect(path+" has the diagnostics "+strings.Join(want, ", "), func(e *lsptest.Editor) bool {
		var got []string
		for _, d := range e.Diagnostics(path) {
			got = append(got, d.Code())
		}
		return slices.Equal(got, want)
	})
}

// A stale hunk says so first, in the line that editors show behind the text.
func TestDiagnosticOfAStaleHunk(t *testing.T) {
	c := connect(t, lsptest.Honest(), map[string]string{"a.txt": "one apple\n"})
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear"`)
	c.must(c.Replace("a.txt", "one", "two"))
	c.await(lsptest.Expect("it is stale", func(e *lsptest.Editor) bool {
		d := e.Diagnostics("a.txt")
		return len(d) == 1 && d[0].Severity == 2
	}))
	const want = "stale: one pear · change 1 of 1, plan 1 (its lines were changed since it was proposed)"
	if got, _, _ := strings.Cut(c.Diagnostics("a.txt")[0].Message, "\n"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Pulled and pushed diagnostics are the same.
func TestPulledDiagnosticsAreThePushedOnes(t *testing.T) {
	shown := map[string][]lsptest.Diagnostic{}
	for _, p := range []lsptest.Profile{lsptest.Honest(), lsptest.PullLike()} {
		c := connect(t, p, map[string]string{"a.txt": twoFruits})
		c.must(c.Open("a.txt"))
		c.plan(`replace "apple" with "pear"`)
		c.must(c.Replace("a.txt", "four", "xfour"))
		c.await(lsptest.Expect("one is stale", func(e *lsptest.Editor) bool {
			d := e.Diagnostics("a.txt")
			return len(d) == 2 && d[1].Severity == 2
		}))
		shown[p.Name] = c.Diagnostics("a.txt")
	}
	if diff := cmp.Diff(shown["honest"], shown["pull"]); diff != "" {
		t.Errorf("(-pushed +pulled)\n%s", diff)
	}
}

// A report that the client already has is not sent again. One for a document that has no
// diagnostics any more is cleared.
func TestUnchangedReports(t *testing.T) {
	c := connect(t, lsptest.PullLike(), map[string]string{"a.txt": twoFruits, "b.txt": "apple\n"})
	c.plan(`replace "apple" with "pear"`)
	document := map[string]any{"textDocument": map[string]any{"uri": c.URI("a.txt")}}
	first := c.report("textDocument/diagnostic", document)
	if first.Kind != "full" || first.ResultID == "" || len(first.Items) != 2 {
		t.Fatalf("got %+v", first)
	}
	document["previousResultId"] = first.ResultID
	if got := c.report("textDocument/diagnostic", document); got.Kind != "unchanged" || got.ResultID != first.ResultID || got.Items != nil {
		t.Errorf("got %+v", got)
	}
	previous := []any{map[string]any{"uri": c.URI("a.txt"), "value": first.ResultID}, map[string]any{"uri": "file:///gone", "value": "x"}}
	all := c.report("workspace/diagnostic", map[string]any{"previousResultIds": previous})
	var got []string
	for _, raw := range all.Items {
		var item struct {
			URI, Kind string
			Version   json.RawMessage
			Items     []json.RawMessage
		}
		c.must(json.Unmarshal(raw, &item))
		if string(item.Version) != "null" {
			t.Errorf("the version of %s is %s", item.URI, item.Version)
		}
		got = append(got, strings.TrimPrefix(item.URI, c.URI("")+"/")+" "+item.Kind+strings.Repeat(" item", len(item.Items)))
	}
	want := []string{"a.txt unchanged", "b.txt full item", "file:///gone full"}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	_, err := c.Execute(c.ctx, command.Reject, map[string]any{"plan": 1})
	c.must(err)
	if got := c.report("textDocument/diagnostic", document); got.Kind != "full" || len(got.Items) != 0 || got.Items == nil {
		t.Errorf("after the end of the plan: %+v", got)
	}
}

type pulledReport struct {
	Kind, ResultID string
	Items          []json.RawMessage
}

func (c *connected) report(method string, params any) pulledReport {
	c.t.Helper()
	raw, err := c.Call(c.ctx, method, params)
	c.must(err)
	var r pulledReport
	c.must(json.Unmarshal(raw, &r))
	return r
}

// Diagnostics that were pulled count as shown: an approval without a revision means theirs.
func TestPulledDiagnosticsCountAsShown(t *testing.T) {
	p := lsptest.PullLike()
	c := connect(t, p, map[string]string{"a.txt": twoFruits})
	c.plan(`replace "apple" with "pear"`)
	c.report("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": c.URI("a.txt")}})
	if _, err := c.approve(); err != nil {
		t.Error(err)
	}
}

// A client that gets diagnostics pushed is refused if it asks for them anyway.
func TestDiagnosticsAreNotAnsweredToWhoIsSentThem(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": twoFruits})
	params := &diagnosticParams{TextDocument: position.TextDocument{URI: f.uri("a.txt")}}
	if run, err := f.diagnostic(context.Background(), params); err == nil {
		t.Errorf("answered %v", run)
	}
	if run, err := f.workspaceDiagnostic(context.Background(), &workspaceDiagnosticParams{}); err == nil {
		t.Errorf("answered %v", run)
	}
}

package lsp

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/lsp/summary"
)

// report makes language servers report on plan 1 as it is now.
func (f *fixture) report(p *plan.Problems) {
	f.Helper()
	v := f.backend.Plan(1)
	texts := view.UnsavedTexts(f.workspace).WithPlan(v)
	if err := f.backend.Agent().Board.AddProblems(f.ctx, v, texts, time.Now(), p); err != nil {
		f.Fatal(err)
	}
}

func problemAt(path string, line int, severity plan.Severity, message string) plan.Problem {
	at := plan.Place{Line: line, Column: 1}
	return plan.Problem{Path: path, Range: plan.Range{Start: at, End: at}, Severity: severity, Message: message, Source: "compiler", Code: "X"}
}

// The hover of a hunk has the problems that lie in its new lines, as text: what a server reports is no Markdown.
func TestHoverHasTheProblemsOfItsHunk(t *testing.T) {
	for name, c := range map[string]struct {
		client client
		want   string
	}{
		"markdown":   {client{markdown: true}, "adds an error: undefined: \\`x\\` \\[a](command:quit) \\<img src=x\\> (compiler)"},
		"plain text": {client{}, "adds an error: undefined: `x` [a](command:quit) <img src=x> (compiler)"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, c.client, map[string]string{"a.txt": "one apple\ntwo\nthree apple\n", "b.txt": "b\n"})
			f.ask(`replace "apple" with "pear" in a.txt`)
			f.report(&plan.Problems{Added: []plan.Problem{
				problemAt("a.txt", 2, plan.SeverityError, "undefined: `x`\n[a](command:quit) <img src=x>"), problemAt("b.txt", 0, plan.SeverityError, "elsewhere"),
			}})
			text := func(line uint32) string { return f.hoverAt("a.txt", line).Contents.(*protocol.MarkupContent).Value }
			if got := text(2); !strings.Contains(got, "\n"+c.want+"\n") || strings.Contains(got, "elsewhere") {
				t.Errorf("the hover is %q, want %q", got, c.want)
			}
			if got := text(0); strings.Contains(got, "adds") {
				t.Errorf("the hover of the other hunk is %q", got)
			}
		})
	}
}

// The titles of what approves a plan say how many errors it adds; nothing is said while that is not known.
func TestTitlesSayAddedErrors(t *testing.T) {
	f := newFixture(t, client{}, map[string]string{"a.txt": "one apple\n", "main.txt": "m\n"})
	f.ask(`replace "apple" with "pear" in a.txt`)
	titled := func(prefix string) string {
		t.Helper()
		var list []struct{ Title string }
		if err := json.Unmarshal(f.actions("a.txt", cursor(0, 0)), &list); err != nil {
			t.Fatal(err)
		}
		for _, a := range list {
			if strings.HasPrefix(a.Title, prefix) {
				return a.Title
			}
		}
		return ""
	}
	title := func() string {
		t.Helper()
		return titled("Redline: approve plan 1")
	}
	if got := title(); strings.Contains(got, "adds") {
		t.Errorf("while nothing is known the title is %q", got)
	}
	f.report(&plan.Problems{Added: []plan.Problem{problemAt("main.txt", 0, plan.SeverityWarning, "w")}, Fixed: 1})
	if got := title(); strings.Contains(got, "adds") || strings.Contains(got, "fixes") {
		t.Errorf("with a warning the title is %q", got)
	}
	if got := titled("Redline: fix"); got != "" {
		t.Errorf("with a warning there is the action %q", got)
	}
	f.report(&plan.Problems{Added: []plan.Problem{problemAt("main.txt", 0, plan.SeverityError, "e"), problemAt("main.txt", 0, plan.SeverityError, "f")}, Fixed: 1})
	if got := title(); !strings.HasSuffix(got, "(1 file, +1 −1; adds 2 errors)") {
		t.Errorf("with two errors the title is %q", got)
	}
	if got := titled("Redline: fix"); got != "Redline: fix plan 1: it adds 2 errors" {
		t.Errorf("with two errors there is the action %q", got)
	}
	if got, want := summary.PlanReady(f.workspace, f.backend.Plan(1), f.pages, false), "plan 1 is ready: 1 file, +1 −1. Checked as proposed: adds 2 errors, fixes 1."; !strings.HasPrefix(got, want) {
		t.Errorf("the message is %q, want %q", got, want)
	}
}

package summary_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/lsp/summary"
)

// The title of an approval has the goal as far as a menu has room for it, the notes, and first
// what it runs.
func TestApprove(t *testing.T) {
	const long = "Fix the rounding of prices, so that a cart with many items has the same total as its receipt"
	for _, c := range []struct {
		goal     string
		commands []plan.Operation
		notes    []string
		want     string
	}{
		{"Fix the sum.", nil, []string{"2 files, +5 −1", ""}, "approve plan 3: Fix the sum (2 files, +5 −1)"},
		{"", nil, []string{"1 file, +1 −1"}, "approve plan 3 (1 file, +1 −1)"},
		{"fix\n the\tsum", nil, nil, "approve plan 3: fix the sum"},
		{"say \u202egood", nil, nil, "approve plan 3: say ⟨U+202E⟩good"},
		{long, nil, []string{"2 files, +5 −1"}, "approve plan 3: Fix the rounding of prices, so that a cart with many… (2 files, +5 −1)"},
		{long, nil, []string{"2 files, +5 −1", "`go test ./...` failed, as it did before"}, "approve plan 3: Fix the rounding of… (2 files, +5 −1; `go test ./...` failed, as it did before)"},
		{"fix the sum", []plan.Operation{{ID: "o1", Command: "make"}}, []string{"1 file, +1 −1"}, "run `make` and approve plan 3: fix the sum (1 file, +1 −1)"},
		{
			"fix the sum", []plan.Operation{{ID: "o1", Command: "make", Args: []byte(`{"cwd":"tools"}`)}, {ID: "o2", Command: "ls"}, {ID: "o3", Command: "ls"}}, nil,
			"run `make` in tools and 2 more, and approve plan 3: fix the sum",
		},
	} {
		p := &view.Plan{Plan: &plan.Plan{Number: 3, Goal: c.goal}, Revision: &plan.Revision{Operations: c.commands}}
		var ids []string
		for _, o := range c.commands {
			ids = append(ids, o.ID)
		}
		if got := summary.Approve(p, ids, c.notes...); got != c.want {
			t.Errorf("%q\nwant %q", got, c.want)
		}
	}
	p := &view.Plan{Plan: &plan.Plan{Number: 3, Goal: strings.Repeat("日本", 100)}, Revision: &plan.Revision{}}
	if got := summary.Approve(p, nil); utf8.RuneCountInString(got) > 100 || !strings.HasSuffix(got, "日…") {
		t.Errorf("%q", got)
	}
}

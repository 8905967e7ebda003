package trace

import (
	"strings"
	"testing"
)

// The headings of a page are what is left of it when it is folded: the way of the turn in a few
// lines.
func TestPageFoldsToTheWayOfTheTurn(t *testing.T) {
	r := recorder(nil)
	for _, s := range []Step{
		{Kind: Server, Name: "files", Summary: "started"},
		{Kind: Route, Route: "tools", Summary: "edits"},
		{Kind: Request, Name: "gpt", Summary: "3 messages"},
		{Kind: Reply, Name: "gpt", Took: 1400, Usage: &Usage{Prompt: 812, Completion: 120}},
		{Kind: Tool, Name: "read_file", Summary: "path a.go"},
		{Kind: Tool, Name: "read_file", Summary: "path b.go"},
		{Kind: Tool, Name: "edit_file", Summary: "path a.go"},
		{Kind: Staged, Path: "a.go"},
		{Kind: Request, Name: "gpt"},
		{Kind: Reply, Name: "gpt", Error: "the wire is cut"},
		{Kind: Revision, Plan: 2, Revision: 1},
		{Kind: Question, Summary: "Which?"},
		{Kind: Limit, Summary: "too many requests"},
		{Kind: Error, Error: "No."},
	} {
		r.Record(s)
	}
	tr := r.Trace()
	tr.Left = 3
	var headings []string
	for line := range strings.Lines(tr.Page()) {
		if strings.HasPrefix(line, "#") {
			headings = append(headings, strings.TrimSpace(line))
		}
	}
	want := []string{
		"# " + tr.Heading(), "## The turn begins", "## Route: `tools`",
		"## Request 1: `gpt` · 1.4 s · 812 + 120 tokens · `read_file` ×2, `edit_file`",
		"## Request 2: `gpt` · failed", "## Plan 2, revision 1", "## Question", "## A limit", "## The turn has failed", "## Left out",
	}
	if got := strings.Join(headings, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the headings are\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	if !strings.Contains(tr.Page(), "\n         4 ms  reply            gpt · 812 + 120 tokens · 1.4 s\n") {
		t.Errorf("a step is missing in\n%s", tr.Page())
	}
}

// No text of a model or the user is where an editor looks for options.
func TestModelinesInTraces(t *testing.T) {
	const hostile = "HOSTILE vim: set ts=77: -*- fill-column: 77 -*- Local Variables:"
	r := recorder(nil)
	r.Record(Step{Kind: Error, Name: hostile, Summary: hostile, Detail: strings.Repeat(hostile+"\n", 9), Error: hostile})
	got := r.Trace()
	got.Request = hostile
	lines := strings.Split(strings.TrimSuffix(got.Page(), "\n"), "\n")
	for _, line := range append(lines[:5:5], lines[len(lines)-5:]...) {
		if strings.Contains(line, "HOSTILE") {
			t.Errorf("a model's words are in line %q", line)
		}
	}
	if lines[len(lines)-5] != "\f" {
		t.Errorf("the last page begins with %q", lines[len(lines)-5])
	}
}

// Nothing that a model says can leave the code blocks of the page, and no name can end its code
// span.
func TestPageCannotBeForged(t *testing.T) {
	const forged = "```\n# Approved\n\n## Redline ![x](https://example.com)"
	r := recorder(nil)
	for _, kind := range []Kind{
		Route, PlannerRequest, PlannerResponse, SpecialistRoute, SpecialistExpand, Specialist, SpecialistTool, SpecialistToolDone,
		Request, Reply, Tool, ToolDone, Staged, Server, Question, Revision, Limit, Notice, Reflection, Error,
	} {
		r.Record(Step{Kind: kind, Name: forged, Route: forged, Summary: forged, Detail: forged, Path: forged, Error: forged, Plan: 1, Revision: 1})
	}
	got := r.Trace()
	got.Request = forged
	lines := strings.Split(strings.TrimSuffix(got.Page(), "\n"), "\n")
	for _, line := range lines[6 : len(lines)-5] {
		title, heading := strings.CutPrefix(line, "## ")
		switch {
		case heading:
			for i, part := range strings.Split(title, "`") {
				if outside := i%2 == 0; outside && strings.ContainsAny(part, "#![") {
					t.Errorf("the heading %q has what a model said", line)
				}
			}
		case line != "" && !strings.HasPrefix(line, "    "):
			t.Errorf("line %q is outside of the code block", line)
		}
	}
}

package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/agent/plan"
	"redline/agent/trace"
)

func hunks(ids ...string) []plan.Change {
	c := plan.Change{Path: "a", Action: plan.Update, Operations: []string{"o1"}}
	for i, id := range ids {
		c.Hunks = append(c.Hunks, plan.Hunk{ID: id, Match: []string{"exact", "indentation", "", "line"}[i%4]})
	}
	return []plan.Change{c}
}

func TestStats(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	took := func(d time.Duration, v plan.Verdict) plan.Execution {
		return plan.Execution{Verdict: v, Started: at, Finished: at.Add(d)}
	}
	op := []plan.Operation{{ID: "o1", Tool: "edit_file"}}
	done := &plan.Plan{State: plan.Completed, Current: 2, Rating: 5, Revisions: []plan.Revision{
		{Number: 1, Author: plan.AuthorModel, Tokens: plan.Tokens{Prompt: 10, Completion: 2, Cost: 0.5}, Changes: hunks("h1", "h2"), Operations: op},
		{Number: 2, Author: plan.AuthorUser, Changes: hunks("h1", "h3"), Operations: op},
	}}
	done.Progress.MarkHunk("h1", plan.HunkApplied, "")
	done.Progress.MarkHunk("h3", plan.HunkApplied, "")
	failed := &plan.Plan{State: plan.Failed, Current: 1, Revisions: []plan.Revision{
		{Number: 1, Author: plan.AuthorUser, Note: "imported", Changes: hunks("h1", "h2", "h3", "h4"), Operations: op},
	}}
	failed.Progress.MarkFile(1, "a", plan.FileFailed, "")
	failed.Progress.MarkHunk("h2", plan.HunkRejected, "")
	given := &plan.Plan{State: plan.Cancelled, Current: 1, Rating: 3, Revisions: []plan.Revision{{Number: 1}}}

	var c StatsCounter
	c.Add(plan.History{Plan: done, Executions: []plan.Execution{
		took(20*time.Millisecond, plan.VerdictApprove), took(time.Hour, plan.VerdictReview), took(-time.Second, plan.VerdictApprove),
		{Verdict: plan.VerdictApprove, Started: at}, took(40*time.Millisecond, plan.VerdictApprove),
	}, Decisions: []plan.Decision{
		{Verdict: plan.VerdictApprove, Hunks: []string{"h1"}, Stale: []string{"h2"}}, {Verdict: plan.VerdictApprove, Stale: []string{"h2"}},
		{Verdict: plan.VerdictUndo, Hunks: []string{"h1"}},
	}})
	c.Add(plan.History{Plan: failed})
	c.Add(plan.History{Plan: given})

	p := func(v float64) *float64 { return &v }
	b := func(v bool) *bool { return &v }
	want := Stats{
		Plans:      PlanFigures{All: 3, Open: 1, Completed: 1, Cancelled: 1},
		Completion: Figure{p(0.5), 2, "> 0.8", b(false)},
		Revisions:  Figure{p(4.0 / 3), 3, "< 2", b(true)},
		Operations: Figure{p(0.5), 2, "> 0.95", b(false)},
		Execution:  ExecutionFigures{p(20), p(40), 3, "< 30000 for 10 operations", b(true)},
		Rating:     Figure{p(4), 2, "> 4.5", b(false)},
		Hunks:      HunkFigures{Shown: 7, Unchanged: 1, Edited: 1, Rejected: 1, Stale: 1, Undone: 1},
		Matching:   map[string]int{"exact": 2, "indentation": 3, "whole file": 1, "line number": 1},
		Tokens:     TokenFigures{10, 2, 0.5, 1},
	}
	if diff := cmp.Diff(want, c.Stats()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestNoPlans(t *testing.T) {
	var c StatsCounter
	s := c.Stats()
	if s.Completion.Value != nil || s.Execution.Median != nil || s.Rating.Met != nil || s.Matching == nil {
		t.Errorf("got %+v", s)
	}
}

// A plan in words counts once it is worked out, by its first edits.
func TestDrift(t *testing.T) {
	words := plan.Revision{Number: 1, TextOnly: true, Predicted: []string{"a", "b"}}
	edits := func(n, parent int, paths ...string) plan.Revision {
		r := plan.Revision{Number: n, Parent: parent, Predicted: words.Predicted}
		for _, p := range paths {
			r.Changes = append(r.Changes, plan.Change{Path: p})
		}
		return r
	}
	var c StatsCounter
	for _, revisions := range [][]plan.Revision{
		{words},
		{words, edits(2, 1, "a", "b"), edits(3, 2, "a", "b", "c")},
		{words, edits(2, 1, "a", "c", "d")},
		{{Number: 1, Changes: hunks("h1")}}, // was never in words
	} {
		c.Add(plan.History{Plan: &plan.Plan{State: plan.Completed, Current: len(revisions), Revisions: revisions}})
	}
	if got, want := c.Stats().Drift, (DriftFigures{Differed: 1, Unexpected: 2, Untouched: 1, Of: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// A turn counts once for each kind of fallback.
func TestStatsFallbacks(t *testing.T) {
	var c StatsCounter
	took := func(names ...string) trace.Trace {
		t := trace.Trace{Steps: []trace.Step{{Kind: trace.Route, Name: trace.ByRules}}}
		for _, name := range names {
			t.Steps = append(t.Steps, trace.Step{Kind: trace.Fallback, Name: name})
		}
		return t
	}
	c.AddTurns(9, []trace.Trace{took(trace.ByRules, trace.ByForm), took(trace.ByRules, trace.ByRules), took(trace.ByKeywords), took("of a later version")})
	if got, want := c.Stats().Fallbacks, (FallbackFigures{Planner: 1, Classification: 2, Prediction: 1, Of: 9}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

package store

import (
	"encoding/json"
	"errors"
	"testing"

	"redline/agent/plan"
)

// life is a plan's history in the store, in steps that each return once they are stored.
type life struct {
	s         *Store
	plan      *plan.Plan
	execution int64
}

var lifeSteps = []string{"create", "revise", "reject", "begin", "finish"}

func (l *life) step(t *testing.T, i int) error {
	ctx := t.Context()
	switch lifeSteps[i] {
	case "create":
		p, texts := sample(3)
		err := l.s.CreatePlan(ctx, ws, p, texts)
		l.plan = p
		return err
	case "revise":
		next := l.plan.Clone()
		r, texts := revision(3, "two")
		next.Add(r, func(b plan.Blob) string { return texts[b] })
		return l.took(next, l.s.AddRevision(ctx, ws, next, texts))
	case "reject":
		next := l.plan.Clone()
		next.Progress.MarkHunk("h2", plan.HunkRejected, "no")
		return l.took(next, l.s.Save(ctx, ws, next, l.decision(plan.VerdictReject)))
	case "begin":
		next := l.plan.Clone()
		next.State = plan.Executing
		id, err := l.s.Begin(ctx, ws, next, l.decision(plan.VerdictApprove), []string{"dir/file1.txt"})
		l.execution = id
		return l.took(next, err)
	default:
		next := l.plan.Clone()
		next.State = plan.Completed
		return l.took(next, l.s.Finish(ctx, ws, next, l.execution, false))
	}
}

// took makes next the plan if it was stored, as the agent does.
func (l *life) took(next *plan.Plan, err error) error {
	if err == nil {
		l.plan = next
	}
	return err
}

func (l *life) decision(v plan.Verdict) *plan.Decision {
	return &plan.Decision{Plan: 1, Revision: l.plan.Current, Hash: l.plan.Latest().Hash, Verdict: v, Who: "user", At: now.UTC()}
}

// found is everything that a store has about the life of a plan, with its texts.
func found(t *testing.T, s *Store) string {
	t.Helper()
	p, err := s.Plan(t.Context(), ws, 1)
	if errors.Is(err, ErrNoSuchPlan) {
		return "nothing"
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range p.Revisions {
		for _, c := range r.Changes {
			for _, b := range []plan.Blob{c.Base, c.Proposed} {
				if _, err := s.Text(t.Context(), b); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	decisions, err := s.Decisions(t.Context(), ws, 1)
	if err != nil {
		t.Fatal(err)
	}
	open, err := s.Unfinished(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal([]any{p, decisions, len(open)})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

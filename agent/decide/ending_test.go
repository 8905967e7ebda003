package decide_test

import (
	"testing"
	"time"

	"redline/agent/board"
	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
)

// Once the outcome of an approval is stored, the plan is shown as decidable again. An approval that
// arrives before the first one has ended altogether waits for that moment.
func TestAnApprovalWaitsForTheEndOfTheOneBefore(t *testing.T) {
	s := decidetest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	p := s.Plan("two", decidetest.Edit("a.txt", "one", "two"), decidetest.Edit("b.txt", "one", "two"))
	ctx := s.Context()

	tx, err := s.Board.Open(ctx, 1)
	s.Must(err)
	d := view.Request{Plan: 1, Hash: p.Hash, Paths: []string{"a.txt"}}
	v, _, err := tx.Look(plan.Execute, d)
	s.Must(err)
	scope, err := view.ScopeOf(v, d, plan.HunkPending)
	s.Must(err)
	next := v.Plan.Clone()
	s.Must(next.Apply(plan.Execute))
	for _, part := range scope.Parts {
		part.Mark(next, plan.HunkApproved, "")
	}
	record := view.RecordDecision(v.Plan, v.Revision, d, plan.VerdictApprove, scope.Parts, time.Now())
	x, err := tx.Begin(ctx, board.Intent{Verdict: plan.VerdictApprove, Parts: scope.Parts}, next, record, plan.Execute)
	s.Must(err)
	s.Write("a.txt", "two\n")
	next = tx.Held.Plan().Clone()
	for _, part := range scope.Parts {
		part.NoteOutcome(next, plan.VerdictApprove, edits.Applied{Path: "a.txt", Status: edits.Done}, true)
	}
	s.Must(tx.Conclude(x, next, false))
	tx.Unlock()

	if got := s.PlanNow(1).State; got != "reviewing" {
		t.Errorf("the plan is %s", got)
	}
	approved := make(chan error, 1)
	go func() {
		_, err := s.Approve(ctx, view.Request{Plan: 1, Hash: p.Hash})
		approved <- err
	}()
	select {
	case err := <-approved:
		t.Fatalf("the approval did not wait for the end of the one before: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	x.End(nil)
	select {
	case err := <-approved:
		s.Must(err)
	case <-ctx.Done():
		t.Fatal("the approval was not answered")
	}
	s.WantFile("b.txt", "two\n")
	s.AwaitState(1, "completed")
}

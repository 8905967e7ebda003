package store

import (
	"errors"
	"testing"

	"redline/agent/audit"
	"redline/agent/plan"
)

// A command begins only if an approval that is stored names it, at the revision
// that is current; then it is open until it has ended.
func TestCommandNeedsAnApproval(t *testing.T) {
	s := newStore(t)
	p, texts := sample(1)
	p.Revisions[0].Operations = append(p.Revisions[0].Operations, plan.Operation{ID: "o9", Tool: "run_command", Command: "make", Args: []byte(`{"command":"make"}`)})
	if err := s.CreatePlan(t.Context(), ws, p, texts); err != nil {
		t.Fatal(err)
	}
	r := p.Revisions[p.Current-1]
	const id = "o9"
	p.Progress.MarkCommand(id, plan.CommandMark{Status: plan.CommandRunning})
	if _, err := s.Command(t.Context(), ws, p, id, 0); !errors.Is(err, ErrNotApproved) {
		t.Errorf("without an approval: %v", err)
	}
	d := &plan.Decision{Plan: p.Number, Revision: r.Number, Hash: r.Hash, Verdict: plan.VerdictApprove, Who: "user", At: p.Updated, Commands: []string{"o99"}}
	if err := s.Save(t.Context(), ws, p, d); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Command(t.Context(), ws, p, id, 0); !errors.Is(err, ErrNotApproved) {
		t.Errorf("with the approval of another: %v", err)
	}
	d.Commands = []string{id}
	if err := s.Save(t.Context(), ws, p, d); err != nil {
		t.Fatal(err)
	}
	execution, err := s.Command(t.Context(), ws, p, id, 0)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.Command(t.Context(), ws, p, id, execution); err != nil || again != execution {
		t.Errorf("again: %d, %v", again, err)
	}
	open, err := s.Unfinished(t.Context(), ws)
	if err != nil || len(open) != 1 || !s.Alive(execution) {
		t.Fatalf("%+v, %v", open, err)
	}
	same(t, open[0].Commands, []string{id})

	code := 2
	p.Progress.MarkCommand(id, plan.CommandMark{Status: plan.CommandFailed, ExitCode: &code, Reason: "why"})
	if err := s.Finish(t.Context(), ws, p, execution, false); err != nil {
		t.Fatal(err)
	}
	if s.Alive(execution) {
		t.Error("the lease is held on")
	}
	var last audit.Record
	if err := s.AuditLog(t.Context(), ws, func(e audit.Entry) error { last, err = e.Decode(); return err }); err != nil {
		t.Fatal(err)
	}
	o, _ := r.Operation(id)
	same(t, last.Outcome.Commands, []audit.Command{{Operation: id, Command: o.Command, Status: "failed", ExitCode: &code, Reason: "why"}})
	if last.Who != "user" {
		t.Errorf("allowed by %q", last.Who)
	}
}

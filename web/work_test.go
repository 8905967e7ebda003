package web_test

import (
	"context"
	"slices"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/decide"
	"redline/workspace/runner"
)

// runs begins the review of a plan with one edit and the command make, whose exit codes the test sends.
func runs(t *testing.T) (r *review, begun chan struct{}, exits chan int) {
	t.Helper()
	begun, exits = make(chan struct{}), make(chan int)
	s := agenttest.New(t, files)
	s.Commands = decide.ExecutorOptions{Run: func(ctx context.Context, _ runner.Command, _ func(runner.Stream, string)) (runner.Outcome, error) {
		select {
		case begun <- struct{}{}:
		case <-ctx.Done():
			return runner.Outcome{}, ctx.Err()
		}
		return runner.Outcome{End: runner.Exited, ExitCode: <-exits}, nil
	}}
	s.Restart()
	s.Model.Stages(agenttest.Edit("notes.md", "Nothing yet.", "Total is Add."), agenttest.Command("make"))
	return serve(t, s, s.Plan("note it and make")), begun, exits
}

// settle waits until all has ended that the user has approved.
func (r *review) settle() (waited bool) {
	r.t.Helper()
	r.Must(r.Settle(r.Context(), func() { waited = true }))
	return waited
}

// A review that ends while a command runs says what was decided and what still runs, and the command
// line waits for that.
func TestEndingWhileACommandRuns(t *testing.T) {
	r, begun, exits := runs(t)
	r.ask("POST", "/api/decide", r.choice(m{"approve": m{"plan": true}, "run": []string{"o2"}}), &struct{}{})
	<-begun
	var told struct{ Sentences []string }
	r.ask("POST", "/api/close", m{}, &told)
	want := []string{"1 change is applied.", "make is still running.", "redline review waits in its terminal for what still runs; Ctrl+C stops it."}
	if !slices.Equal(told.Sentences, want) {
		t.Errorf("%q", told.Sentences)
	}
	<-r.Ended()
	go func() { exits <- 0 }()
	r.settle()
	if p, err := r.Agent.Board.PlanState(t.Context(), 1); err != nil || p.State != "completed" || r.settle() {
		t.Errorf("%+v %v", p, err)
	}
}

// While an ended review waits for a command, nothing else is decided, also not from another tab.
func TestNothingIsDecidedAfterTheEnd(t *testing.T) {
	r, begun, exits := runs(t)
	r.ask("POST", "/api/decide", r.choice(m{"approve": m{"plan": true}, "run": []string{"o2"}}), &struct{}{})
	<-begun
	r.ask("POST", "/api/close", m{}, &struct{}{})
	for path, body := range map[string]m{
		"/api/decide": r.choice(m{"drop": []string{"o2"}}), "/api/preview-decision": r.choice(m{"drop": []string{"o2"}}), "/api/undo": r.choice(nil),
		"/api/rework": r.choice(m{"text": "again"}), "/api/edit": r.choice(m{"path": "f1", "hunk": "h1", "text": "x\n"}),
		"/api/comments": {"revision": 1, "path": "f1", "line": 1, "side": "old", "text": "why?"},
	} {
		r.refused("POST", path, body, 410, `The review has ended before this came: nothing of it was done.\n1 change is applied.\nmake is still running.`)
	}
	r.refused("DELETE", "/api/comments/c1", nil, 410, "The review has ended")
	go func() { exits <- 0 }()
	r.settle()
	p, err := r.Agent.Board.PlanState(t.Context(), 1)
	if err != nil || p.State != "completed" || len(p.Comments) > 0 || p.Revision != 1 || r.Read("notes.md") == files["notes.md"] {
		t.Errorf("%+v %v", p, err)
	}
}

// A review that ends before anything is decided says so.
func TestEndingWithoutADecision(t *testing.T) {
	r, _, _ := runs(t)
	var told struct{ Sentences []string }
	r.ask("POST", "/api/close", m{}, &told)
	if want := []string{"Nothing was decided.", "Plan 1 waits for your approval."}; !slices.Equal(told.Sentences, want) || r.settle() {
		t.Errorf("%q", told.Sentences)
	}
}

// A command that succeeds at the second try has not failed.
func TestACommandThatSucceedsLater(t *testing.T) {
	r, begun, exits := runs(t)
	for i, code := range []int{2, 0} {
		c := m{"run": []string{"o2"}}
		if i == 0 {
			c["approve"] = m{"plan": true}
		}
		r.ask("POST", "/api/decide", r.choice(c), &struct{}{})
		<-begun
		exits <- code
		r.settle()
		if (r.Failed() != nil) != (code != 0) {
			t.Errorf("exit %d: %v", code, r.Failed())
		}
	}
}

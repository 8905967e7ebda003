package decide_test

import (
	"fmt"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/audit"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/plan"
	"redline/agent/view"
)

// older returns an agent on the same workspace and store, this many days later.
func older(s *agenttest.Session, days int, keep decide.Keep) *agent.Agent {
	other := s.Beside(s.Dir)
	other.With(func(o *agent.Options) {
		o.Keep, o.Now = keep, func() time.Time { return time.Now().AddDate(0, 0, days) }
	})
	return other.Agent
}

// decided makes three plans and rejects the first two.
func decided(s *agenttest.Session) {
	for range 3 {
		s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
		s.Plan("tidy up")
	}
	for n := 1; n <= 2; n++ {
		if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: n}); err != nil {
			s.T.Fatal(err)
		}
	}
}

func TestPruneTakesThePreviewsAlong(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	decided(s)
	s.Write(".redline/plans/0002-r1.md", "my own notes\n")
	a := older(s, 100, decide.Keep{})
	if _, err := a.State(s.Context(), false); err != nil {
		t.Fatal(err)
	}
	dry, err := a.Prune(s.Context(), decide.Prune{Keep: decide.Keep{Days: 90}, Dry: true})
	if err != nil || len(dry.Removed) != 2 || len(dry.Previews) != 0 || dry.Freed == 0 || !dry.DryRun {
		t.Errorf("a dry run: %+v, %v", dry, err)
	}
	if got := fmt.Sprint(told(s, a, false)); got != "[1 cancelled 2 cancelled 3 awaiting_approval]" {
		t.Errorf("after a dry run: %s", got)
	}
	out, err := a.Prune(s.Context(), decide.Prune{Keep: decide.Keep{Days: 90}})
	if err != nil || len(out.Removed) != 2 || out.Removed[0].Plan != 1 || fmt.Sprint(out.Previews) != "[.redline/plans/0001-r1.md]" || out.Freed != dry.Freed {
		t.Errorf("pruned %+v, %v", out, err)
	}
	s.WantFile(".redline/plans/0001-r1.md", "")
	s.WantFile(".redline/plans/0002-r1.md", "my own notes\n")
	if got := fmt.Sprint(told(s, a, false)); got != "[3 awaiting_approval]" {
		t.Errorf("left: %s", got)
	}
	_, err = a.Board.PlanState(s.Context(), 1)
	s.WantRefused(err, plan.NoSuchPlan)
	var pruned []int // according to the audit log
	if err := s.Store.AuditLog(s.Context(), "", func(e audit.Entry) error {
		if r, err := e.Decode(); err == nil && r.Event == audit.Pruned {
			pruned = append(pruned, r.Plan)
		}
		return nil
	}); err != nil || fmt.Sprint(pruned) != "[1 2]" || out.Records != 0 {
		t.Errorf("the log tells that plans %v were removed (%v), %d records went; want 1 and 2, and none", pruned, err, out.Records)
	}
	if all, err := a.Prune(s.Context(), decide.Prune{Keep: decide.Keep{Days: 90}, All: true}); err != nil || all.Records == 0 {
		t.Errorf("of the audit log went %d records, %v", all.Records, err)
	}
	_, err = a.Approve(s.Context(), view.Request{Plan: 3})
	if err != nil {
		t.Errorf("the open plan: %v", err)
	}
}

// The server prunes by itself, once a day, and not while a turn runs.
func TestRetain(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	decided(s)
	begun, wait := make(chan struct{}), make(chan struct{})
	a := older(s, 100, decide.Keep{Days: 90, MB: 1024})
	s.Model.Will(agenttest.Reply{Text: "Done.", Begun: begun, Wait: wait})
	id, _, err := a.Turns.Send(conversation.Message{Text: "hello", Client: "test"})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	if err := a.RetainNow(s.Context()); err != nil || len(told(s, a, true)) != 3 {
		t.Errorf("while a turn runs: %v", err)
	}
	close(wait)
	if _, err := a.Conversations.Wait(s.Context(), id); err != nil {
		t.Fatal(err)
	}
	if err := a.RetainNow(s.Context()); err != nil || len(told(s, a, true)) != 1 {
		t.Errorf("after it: %v, %v", err, told(s, a, true))
	}
	// Not again on the same day, and again on the next.
	for range 2 {
		s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
		s.Plan("tidy up")
	}
	if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: 4}); err != nil {
		t.Fatal(err)
	}
	if err := a.RetainNow(s.Context()); err != nil || len(told(s, a, true)) != 3 {
		t.Errorf("on the same day: %v, %v", err, told(s, a, true))
	}
	next := older(s, 101, decide.Keep{Days: 90, MB: 1024})
	if err := next.RetainNow(s.Context()); err != nil || len(told(s, next, true)) != 2 {
		t.Errorf("on the next: %v, %v", err, told(s, next, true))
	}
}

// unsavedOf returns the files that count as unsaved in the stored plan 1.
func unsavedOf(s *agenttest.Session) (paths []string) {
	s.T.Helper()
	p, err := s.Store.Plan(s.Context(), s.Dir, 1)
	s.Must(err)
	for path, m := range p.Progress.Files {
		if m.Unsaved {
			paths = append(paths, path)
		}
	}
	return paths
}

func wantPrunable(s *agenttest.Session) {
	s.T.Helper()
	s.Model.Stages(agenttest.Edit("b.txt", "one", "1")) // the newest plan always stays
	s.Say(conversation.Message{Text: "another", New: true})
	if left := unsavedOf(s); len(left) > 0 {
		s.T.Errorf("%v count as unsaved", left)
	}
	out, err := older(s, 100, decide.Keep{}).Prune(s.Context(), decide.Prune{Keep: decide.Keep{Days: 90}})
	if err != nil || len(out.Removed) != 1 {
		s.T.Errorf("pruned %+v, %v", out, err)
	}
}

// A change that was applied in a buffer, lost by closing it without saving, and then rejected needs
// no saving any more: the plan can be pruned like any other.
func TestAPlanRejectedAfterItsBufferWentCanBePruned(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	s.Open("a.txt")
	s.Editor.OnApply = s.InBuffer
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	s.Plan("figures")
	s.MustApprove(view.Request{Plan: 1})
	if got := fmt.Sprint(unsavedOf(s)); got != "[a.txt]" {
		t.Fatalf("%s is unsaved, want a.txt", got)
	}
	s.Workspace.Close(s.Workspace.URI("a.txt"))
	s.AwaitState(1, "awaiting_approval")
	if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	wantPrunable(s)
}

// A change of an earlier revision counts as saved once the file is saved.
func TestAPlanWhoseEarlierRevisionIsSavedCanBePruned(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\n", "b.txt": "one\n"})
	s.Open("a.txt")
	s.Editor.OnApply = s.InBuffer
	s.Model.Stages(agenttest.Edit("a.txt", "one\n", "1\n"), agenttest.Edit("a.txt", "three\n", "3\n"))
	s.Plan("figures")
	s.MustApprove(view.Request{Plan: 1, Hunks: []string{"h1"}})
	s.Rework(agenttest.Edit("a.txt", "five\n", "5\n"))
	s.Save("a.txt")
	for ctx := s.Context(); len(unsavedOf(s)) > 0; {
		if ctx.Err() != nil {
			t.Fatal("a.txt still counts as unsaved")
		}
	}
	if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	wantPrunable(s)
}

// told returns the number and state of each plan in redline.state, oldest first.
func told(s *agenttest.Session, a *agent.Agent, all bool) []string {
	s.T.Helper()
	state, err := a.State(s.Context(), all)
	if err != nil {
		s.T.Fatal(err)
	}
	var out []string
	for _, p := range state.Plans {
		out = append(out, fmt.Sprintf("%d %s", p.Plan, p.State))
	}
	return out
}

package agent_test

import (
	"context"
	"testing"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/decide"
	"redline/agent/decide/decidetest"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/workspace"
)

// A decision of another process while a turn runs is seen, and the work of the turn is not lost.
func TestATurnFollowsWhatAnotherProcessDecides(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
	p := s.PlanRename()
	begun, wait := make(chan struct{}), make(chan struct{})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("shop.go", "a / 5", "a / 4")}, Begun: begun, Wait: wait}, agenttest.Reply{Text: "Done."})
	id, _, err := s.Agent.Turns.Rework(s.Context(), 1, "and the tax", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	if _, err := s.Beside(s.Dir).Agent.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}}); err != nil {
		t.Fatal(err)
	}
	close(wait)
	if turn := s.Wait(id); turn.State != "done" {
		t.Fatalf("the turn is %s: %v", turn.State, turn.Error)
	}
	next := s.PlanNow(1)
	if next.Revision != 2 {
		t.Fatalf("revision %d, want 2", next.Revision)
	}
	if _, err := s.Agent.Approve(s.Context(), view.Request{Plan: 1, Hash: next.Hash}); err != nil {
		t.Errorf("the plan is stuck: %v", err)
	}
}

func TestPlansBelongToTheirWorkspace(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
	p := s.PlanRename()
	other := s.Beside(t.TempDir())
	other.Write("shop.go", decidetest.Shop)
	s.Model.Stages(agenttest.Edit("shop.go", "a / 5", "a / 4"))
	other.Plan("tax")
	s.Workspace.AddFolder(workspace.Folder{Name: "o", Dir: other.Dir})
	s.Workspace.RemoveFolder(workspace.Folder{Dir: s.Dir})
	_, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	s.WantRefused(err, plan.HashMismatch) // plan 1 is another plan there
	if kept := other.PlanNow(1); kept.Goal != "tax" || kept.Files[0].Hunks[0].Status != "pending" {
		t.Errorf("the other workspace's plan was changed: %+v", kept)
	}
}

// panics is a model with a bug that panics.
type panics struct{ *agenttest.Script }

func (panics) Complete(context.Context, model.Request, func(model.Event)) (model.Reply, error) {
	panic("boom")
}

func TestAFaultInATurnLeavesThePlanAsItWas(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
	p := s.PlanRename()
	faulty := agent.New(agent.Options{Workspace: s.Workspace, Store: s.Store, Model: panics{s.Model}})
	faulty.Session.Attach(s.Editor)
	defer faulty.Close()
	id, _, err := faulty.Turns.Rework(s.Context(), 1, "more", "test")
	if err != nil {
		t.Fatal(err)
	}
	if turn, err := faulty.Conversations.Wait(s.Context(), id); err != nil || turn.State != "failed" {
		t.Errorf("the turn is %s, %v; want failed", turn.State, err)
	}
	if _, err := faulty.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash}); err != nil {
		t.Errorf("the plan is stuck: %v", err)
	}
}

// If another process makes a revision while a turn runs, the turn's revision has it as its parent:
// unchanged hunks stay the same hunks, with their decisions.
func TestATurnFollowsARevisionOfAnotherProcess(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": decidetest.Nine})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("a.txt", "five", "5"), agenttest.Edit("a.txt", "nine", "9"))
	s.Plan("figures")
	begun, wait := make(chan struct{}), make(chan struct{})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Call("write_file", map[string]any{"path": "b.txt", "content": "b\n"})}, Begun: begun, Wait: wait}, agenttest.Reply{Text: "Done."})
	id, _, err := s.Agent.Turns.Rework(s.Context(), 1, "and b", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	other := s.Beside(s.Dir).Agent
	if _, err := other.Stage(s.Context(), decide.Staging{Plan: 1, Remove: []string{"o1"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Reject(s.Context(), view.Request{Plan: 1, Hunks: []string{"h2"}}); err != nil {
		t.Fatal(err)
	}
	close(wait)
	if turn := s.Wait(id); turn.State != "done" {
		t.Fatalf("the turn is %+v", turn)
	}
	if got, want := decidetest.Hunks(s.PlanNow(1)), "a.txt:h3:pending b.txt:h4:pending"; got != want { // without what was rejected, as in any rework
		t.Errorf("the hunks are %s, want %s", got, want)
	}
}

// If another process rejects a plan while a turn works on it, it stays rejected, and what the turn
// has staged is kept as another plan.
func TestATurnOnAPlanThatIsRejectedElsewhere(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": decidetest.Nine})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	s.Plan("figures")
	begun, wait := make(chan struct{}), make(chan struct{})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Call("write_file", map[string]any{"path": "b.txt", "content": "b\n"})}, Begun: begun, Wait: wait}, agenttest.Reply{Text: "Done."})
	id, _, err := s.Agent.Turns.Rework(s.Context(), 1, "and b", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	other := s.Beside(s.Dir).Agent
	if _, err := other.Reject(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	close(wait)
	if turn := s.Wait(id); turn.State != "done" {
		t.Fatalf("the turn is %+v", turn)
	}
	if got := s.PlanNow(1).State; got != "cancelled" {
		t.Errorf("plan 1 is %s, want cancelled", got)
	}
	p := s.PlanNow(2)
	if got, want := decidetest.Hunks(p), "b.txt:h1:pending"; p.State != "awaiting_approval" || got != want {
		t.Errorf("plan 2 is %s with %s, want awaiting_approval with %s", p.State, got, want)
	}
	if want := "Done.\n\nPlan 1 was cancelled elsewhere meanwhile: what this turn has staged is a plan of its own."; p.Description != want {
		t.Errorf("plan 2 says %q, want %q", p.Description, want)
	}
}

func TestCompareNoSuchPlan(t *testing.T) {
	s := agenttest.New(t, nil)
	_, err := s.Agent.Compare(s.Context(), 9, 1, 1)
	s.WantRefused(err, plan.NoSuchPlan)
}

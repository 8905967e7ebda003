package agent_test

import (
	"context"
	"testing"

	"redline/agent"
	"redline/agent/decide"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/store"
	"redline/agent/view"
	"redline/workspace"
)

// another is a second Redline on the same workspace and store.
func (s *session) another() *agent.Agent {
	a, _ := s.anotherEditor()
	return a
}

// anotherEditor is another, with its editor.
func (s *session) anotherEditor() (*agent.Agent, *fakeEditor) {
	ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: s.dir}}, workspace.Options{StateDir: s.state})
	kept := store.New(s.state)
	a := agent.New(agent.Options{Workspace: ws, Store: kept, Model: s.model})
	ed := &fakeEditor{disk: workspace.NewDisk(ws)}
	a.Session.Attach(ed)
	s.t.Cleanup(func() { a.Close(); kept.Close() })
	return a, ed
}

// A decision of another process while a turn runs is seen, and the work of the turn is not lost.
func TestATurnFollowsWhatAnotherProcessDecides(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	begun, wait := make(chan struct{}), make(chan struct{})
	s.model.will(reply{calls: []model.Call{edit("shop.go", "a / 5", "a / 4")}, begun: begun, wait: wait}, reply{text: "Done."})
	id, _, err := s.agent.Turns.Rework(s.ctx(), 1, "and the tax", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	if _, err := s.another().Reject(s.ctx(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}}); err != nil {
		t.Fatal(err)
	}
	close(wait)
	if turn := s.wait(id); turn.State != "done" {
		t.Fatalf("the turn is %s: %v", turn.State, turn.Error)
	}
	next := s.state1(1)
	if next.Revision != 2 {
		t.Fatalf("revision %d, want 2", next.Revision)
	}
	if _, err := s.agent.Approve(s.ctx(), view.Request{Plan: 1, Hash: next.Hash}); err != nil {
		t.Errorf("the plan is stuck: %v", err)
	}
}

func TestPlansBelongToTheirWorkspace(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	other := &session{t: t, dir: t.TempDir(), state: s.state, model: s.model}
	other.writeFile("shop.go", shop)
	other.start()
	s.model.stages(edit("shop.go", "a / 5", "a / 4"))
	other.plan("tax")
	s.ws.AddFolder(workspace.Folder{Name: "o", Dir: other.dir})
	s.ws.RemoveFolder(workspace.Folder{Dir: s.dir})
	_, err := s.agent.Reject(s.ctx(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	s.wantRefused(err, plan.HashMismatch) // plan 1 is another plan there
	if kept := other.state1(1); kept.Goal != "tax" || kept.Files[0].Hunks[0].Status != "pending" {
		t.Errorf("the other workspace's plan was changed: %+v", kept)
	}
}

// panics is a model with a bug that panics.
type panics struct{ *script }

func (panics) Complete(context.Context, model.Request, func(model.Event)) (model.Reply, error) {
	panic("boom")
}

func TestAFaultInATurnLeavesThePlanAsItWas(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	faulty := agent.New(agent.Options{Workspace: s.ws, Store: s.store, Model: panics{s.model}})
	faulty.Session.Attach(s.ed)
	defer faulty.Close()
	id, _, err := faulty.Turns.Rework(s.ctx(), 1, "more", "test")
	if err != nil {
		t.Fatal(err)
	}
	if turn, err := faulty.Conversations.Wait(s.ctx(), id); err != nil || turn.State != "failed" {
		t.Errorf("the turn is %s, %v; want failed", turn.State, err)
	}
	if _, err := faulty.Approve(s.ctx(), view.Request{Plan: 1, Hash: p.Hash}); err != nil {
		t.Errorf("the plan is stuck: %v", err)
	}
}

// If another process makes a revision while a turn runs, the turn's revision has it as its parent:
// unchanged hunks stay the same hunks, with their decisions.
func TestATurnFollowsARevisionOfAnotherProcess(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	s.model.stages(edit("a.txt", "one", "1"), edit("a.txt", "five", "5"), edit("a.txt", "nine", "9"))
	s.plan("figures")
	begun, wait := make(chan struct{}), make(chan struct{})
	s.model.will(reply{calls: []model.Call{call("write_file", map[string]any{"path": "b.txt", "content": "b\n"})}, begun: begun, wait: wait}, reply{text: "Done."})
	id, _, err := s.agent.Turns.Rework(s.ctx(), 1, "and b", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	other := s.another()
	if _, err := other.Stage(s.ctx(), decide.Staging{Plan: 1, Remove: []string{"o1"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Reject(s.ctx(), view.Request{Plan: 1, Hunks: []string{"h2"}}); err != nil {
		t.Fatal(err)
	}
	close(wait)
	if turn := s.wait(id); turn.State != "done" {
		t.Fatalf("the turn is %+v", turn)
	}
	if got, want := hunkIDs(s.state1(1)), "a.txt:h3:pending b.txt:h4:pending"; got != want { // without what was rejected, as in any rework
		t.Errorf("the hunks are %s, want %s", got, want)
	}
}

// If another process rejects a plan while a turn works on it, it stays rejected, and what the turn
// has staged is kept as another plan.
func TestATurnOnAPlanThatIsRejectedElsewhere(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	s.model.stages(edit("a.txt", "one", "1"))
	s.plan("figures")
	begun, wait := make(chan struct{}), make(chan struct{})
	s.model.will(reply{calls: []model.Call{call("write_file", map[string]any{"path": "b.txt", "content": "b\n"})}, begun: begun, wait: wait}, reply{text: "Done."})
	id, _, err := s.agent.Turns.Rework(s.ctx(), 1, "and b", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	other := s.another()
	if _, err := other.Reject(s.ctx(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	close(wait)
	if turn := s.wait(id); turn.State != "done" {
		t.Fatalf("the turn is %+v", turn)
	}
	if got := s.state1(1).State; got != "cancelled" {
		t.Errorf("plan 1 is %s, want cancelled", got)
	}
	p := s.state1(2)
	if got, want := hunkIDs(p), "b.txt:h1:pending"; p.State != "awaiting_approval" || got != want {
		t.Errorf("plan 2 is %s with %s, want awaiting_approval with %s", p.State, got, want)
	}
	if want := "Done.\n\nPlan 1 was cancelled elsewhere meanwhile: what this turn has staged is a plan of its own."; p.Description != want {
		t.Errorf("plan 2 says %q, want %q", p.Description, want)
	}
}

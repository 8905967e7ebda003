package agent_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"redline/agent"
	"redline/agent/decide"
	"redline/agent/decision"
	"redline/agent/model"
	"redline/agent/refusal"
	"redline/agent/store"
	"redline/edits"
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
	a.Attach(ed)
	s.t.Cleanup(func() { a.Close(); kept.Close() })
	return a, ed
}

// A second process neither settles nor repeats an execution that goes on.
func TestAnotherProcessLeavesALiveExecutionAlone(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	asked, answer := make(chan struct{}), make(chan struct{})
	s.ed.apply = func(edits.Change) (edits.Applied, bool) {
		close(asked)
		<-answer
		return edits.Applied{}, false
	}
	result := make(chan error, 1)
	go func() {
		_, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash})
		result <- err
	}()
	<-asked
	other := s.another()
	if err := other.Recover(s.ctx()); err != nil {
		t.Fatal(err)
	}
	if seen, err := other.PlanState(s.ctx(), 1); err != nil || seen.State != "executing" {
		t.Errorf("the other process sees %s, %v; want executing", seen.State, err)
	}
	if _, err := other.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash}); err == nil {
		t.Error("the other process approved it too")
	}
	close(answer)
	if err := <-result; err != nil {
		t.Errorf("the execution failed: %v", err)
	}
	if got := s.state1(1).State; got != "completed" {
		t.Errorf("state %s, want completed", got)
	}
}

// What another process decides while a turn runs is seen, and the work of the
// turn is not lost.
func TestATurnFollowsWhatAnotherProcessDecides(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	begun, wait := make(chan struct{}), make(chan struct{})
	s.model.will(reply{calls: []model.Call{edit("shop.go", "a / 5", "a / 4")}, begun: begun, wait: wait}, reply{text: "Done."})
	id, _, err := s.agent.Rework(s.ctx(), 1, "and the tax", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	if _, err := s.another().Reject(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}}); err != nil {
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
	if _, err := s.agent.Approve(s.ctx(), decision.Request{Plan: 1, Hash: next.Hash}); err != nil {
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
	_, err := s.agent.Reject(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	s.wantRefused(err, refusal.HashMismatch) // plan 1 is another plan there
	if kept := other.state1(1); kept.Goal != "tax" || kept.Files[0].Hunks[0].Status != "pending" {
		t.Errorf("the other workspace's plan was changed: %+v", kept)
	}
}

// panics is a model that has a fault.
type panics struct{ *script }

func (panics) Complete(context.Context, model.Request, func(model.Event)) (model.Reply, error) {
	panic("boom")
}

func TestAFaultInATurnLeavesThePlanAsItWas(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	faulty := agent.New(agent.Options{Workspace: s.ws, Store: s.store, Model: panics{s.model}})
	faulty.Attach(s.ed)
	defer faulty.Close()
	id, _, err := faulty.Rework(s.ctx(), 1, "more", "test")
	if err != nil {
		t.Fatal(err)
	}
	if turn, err := faulty.Wait(s.ctx(), id); err != nil || turn.State != "failed" {
		t.Errorf("the turn is %s, %v; want failed", turn.State, err)
	}
	if _, err := faulty.Approve(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash}); err != nil {
		t.Errorf("the plan is stuck: %v", err)
	}
}

// A keystroke does not wait for the database, even if another process holds it.
func TestTypingDoesNotWaitForTheDatabase(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	s.open("shop.go")
	p := renamed(s)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.state, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	rejected := make(chan error, 1)
	go func() {
		_, err := s.agent.Reject(context.Background(), decision.Request{Plan: 1, Hash: p.Hash})
		rejected <- err
	}()
	for range 200 {
		s.typeAt("shop.go", "package shop", "x")
		s.agent.Snapshot()
	}
	select {
	case err := <-rejected:
		t.Errorf("the rejection did not wait for the database (%v): the test shows nothing", err)
	default: // 200 keystrokes were faster than a decision that waits
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := <-rejected; err != nil {
		t.Errorf("the rejection: %v", err)
	}
}

// Decisions read the live text while the user types: a hunk must never be
// moved twice by one edit.
func TestDecisionsWhileTyping(t *testing.T) {
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "l%03d\n", i)
	}
	s := newSession(t, map[string]string{"a.txt": text.String()})
	s.open("a.txt")
	var calls []model.Call
	for i := 100; i < 200; i += 2 {
		c := edit("a.txt", fmt.Sprintf("l%03d\n", i), fmt.Sprintf("L%03d\n", i))
		c.ID = fmt.Sprint(i)
		calls = append(calls, c)
	}
	s.model.stages(calls...)
	p := s.plan("capitals")
	hunks := p.Files[0].Hunks
	var deciding sync.WaitGroup
	deciding.Go(func() {
		for i := range 30 {
			d := decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{hunks[len(hunks)-1-i].ID}}
			if _, err := s.agent.Reject(s.ctx(), d); err != nil {
				t.Error(err)
			}
		}
	})
	const typed = 1000
	for range typed {
		s.typeAt("a.txt", "l000\n", "zzzz\n")
	}
	deciding.Wait()
	file := s.state1(1).Files[0]
	if first := file.Hunks[0]; file.Line(0) != 100+typed || first.Status != "pending" {
		t.Errorf("the first hunk is %s at line %d, want pending at %d", first.Status, file.Line(0), 100+typed)
	}
}

// What came of an execution is stored although another process has rated the
// plan meanwhile, and so is the rating.
func TestARatingDuringAnExecutionLosesNothing(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	other := s.another()
	s.ed.apply = func(edits.Change) (edits.Applied, bool) {
		if _, err := other.Rate(s.ctx(), 1, 4); err != nil {
			t.Error(err)
		}
		return edits.Applied{}, false
	}
	if r := s.approve(decision.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Errorf("the plan is %s, want completed", r.State)
	}
	s.wantNothingUnfinished()
	s.restart()
	if got := s.state1(1); got.State != "completed" || got.Rating != 4 {
		t.Errorf("after a restart the plan is %s, rated %d; want completed, rated 4", got.State, got.Rating)
	}
}

// So is what another process has rejected of the plan.
func TestARejectionDuringAnUndoIsKept(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	s.approve(decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	other := s.another()
	s.ed.apply = func(edits.Change) (edits.Applied, bool) {
		if _, err := other.Reject(s.ctx(), decision.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h2"}}); err != nil {
			t.Error(err)
		}
		return edits.Applied{}, false
	}
	if _, err := s.agent.Undo(s.ctx(), decision.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.wantNothingUnfinished()
	s.restart()
	s.wantHunks(1, "pending", "rejected")
	if got := s.state1(1).State; got != "awaiting_approval" {
		t.Errorf("the plan is %s, want awaiting_approval", got)
	}
}

// A revision that another process makes while a turn runs is the parent of the
// turn's: hunks that stay are the same hunks, with what was decided about them.
func TestATurnFollowsARevisionOfAnotherProcess(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	s.model.stages(edit("a.txt", "one", "1"), edit("a.txt", "five", "5"), edit("a.txt", "nine", "9"))
	s.plan("figures")
	begun, wait := make(chan struct{}), make(chan struct{})
	s.model.will(reply{calls: []model.Call{call("write_file", map[string]any{"path": "b.txt", "content": "b\n"})}, begun: begun, wait: wait}, reply{text: "Done."})
	id, _, err := s.agent.Rework(s.ctx(), 1, "and b", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	other := s.another()
	if _, err := other.Stage(s.ctx(), decide.Staging{Plan: 1, Remove: []string{"o1"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Reject(s.ctx(), decision.Request{Plan: 1, Hunks: []string{"h2"}}); err != nil {
		t.Fatal(err)
	}
	close(wait)
	if turn := s.wait(id); turn.State != "done" {
		t.Fatalf("the turn is %+v", turn)
	}
	if got, want := hunkIDs(s.state1(1)), "a.txt:h3:pending b.txt:h4:pending"; got != want { // less what was rejected, as in any rework
		t.Errorf("the hunks are %s, want %s", got, want)
	}
}

// A plan that another process has rejected while a turn worked on it stays
// rejected, and what the turn has staged is not lost: it is another plan.
func TestATurnOnAPlanThatIsRejectedElsewhere(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	s.model.stages(edit("a.txt", "one", "1"))
	s.plan("figures")
	begun, wait := make(chan struct{}), make(chan struct{})
	s.model.will(reply{calls: []model.Call{call("write_file", map[string]any{"path": "b.txt", "content": "b\n"})}, begun: begun, wait: wait}, reply{text: "Done."})
	id, _, err := s.agent.Rework(s.ctx(), 1, "and b", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	other := s.another()
	if _, err := other.Reject(s.ctx(), decision.Request{Plan: 1}); err != nil {
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

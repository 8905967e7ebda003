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
	"redline/agent/model"
	"redline/agent/store"
	"redline/edits"
	"redline/workspace"
)

// another is a second Redline on the same workspace and store.
func (s *session) another() *agent.Agent {
	ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: s.dir}}, workspace.Options{StateDir: s.state})
	kept := store.New(s.state)
	a := agent.New(agent.Options{Workspace: ws, Store: kept, Model: s.model})
	a.Attach(&fakeEditor{disk: workspace.NewDisk(ws)})
	s.t.Cleanup(func() { a.Close(); kept.Close() })
	return a
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
		_, err := s.agent.Approve(s.ctx(), agent.Decide{Plan: 1, Hash: p.Hash})
		result <- err
	}()
	<-asked
	other := s.another()
	if err := other.Recover(s.ctx()); err != nil {
		t.Fatal(err)
	}
	if seen, err := other.PlanState(s.ctx(), 1, edits.UTF16); err != nil || seen.State != "executing" {
		t.Errorf("the other process sees %s, %v; want executing", seen.State, err)
	}
	if _, err := other.Approve(s.ctx(), agent.Decide{Plan: 1, Hash: p.Hash}); err == nil {
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
	if _, err := s.another().Reject(s.ctx(), agent.Decide{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}}, edits.UTF16); err != nil {
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
	if _, err := s.agent.Approve(s.ctx(), agent.Decide{Plan: 1, Hash: next.Hash}); err != nil {
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
	_, err := s.agent.Reject(s.ctx(), agent.Decide{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}}, edits.UTF16)
	s.wantRefused(err, agent.HashMismatch) // plan 1 is another plan there
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
	if _, err := faulty.Approve(s.ctx(), agent.Decide{Plan: 1, Hash: p.Hash}); err != nil {
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
		_, err := s.agent.Reject(context.Background(), agent.Decide{Plan: 1, Hash: p.Hash}, edits.UTF16)
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
			d := agent.Decide{Plan: 1, Hash: p.Hash, Hunks: []string{hunks[len(hunks)-1-i].ID}}
			if _, err := s.agent.Reject(s.ctx(), d, edits.UTF16); err != nil {
				t.Error(err)
			}
		}
	})
	const typed = 1000
	for range typed {
		s.typeAt("a.txt", "l000\n", "zzzz\n")
	}
	deciding.Wait()
	first := s.state1(1).Files[0].Hunks[0]
	if first.Range.Start.Line != 100+typed || first.Status != "pending" {
		t.Errorf("the first hunk is %s at line %d, want pending at %d", first.Status, first.Range.Start.Line, 100+typed)
	}
}

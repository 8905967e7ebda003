package decide_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/store"
	"redline/agent/view"
	"redline/edits"
)

// A second process neither settles nor repeats an execution that is under way.
func TestAnotherProcessLeavesALiveExecutionAlone(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	asked, answer := make(chan struct{}), make(chan struct{})
	s.Editor.OnApply = func(edits.Change) (edits.Applied, bool) {
		close(asked)
		<-answer
		return edits.Applied{}, false
	}
	result := make(chan error, 1)
	go func() {
		_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
		result <- err
	}()
	<-asked
	other := s.Another()
	if err := other.Board.Follower.Recover(s.Context()); err != nil {
		t.Fatal(err)
	}
	if seen, err := other.Board.PlanState(s.Context(), 1); err != nil || seen.State != "executing" {
		t.Errorf("the other process sees %s, %v; want executing", seen.State, err)
	}
	if _, err := other.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash}); err == nil {
		t.Error("the other process approved it too")
	}
	close(answer)
	if err := <-result; err != nil {
		t.Errorf("the execution failed: %v", err)
	}
	if got := s.PlanNow(1).State; got != "completed" {
		t.Errorf("state %s, want completed", got)
	}
}

// A keystroke does not wait for the database, even if another process holds it.
func TestTypingDoesNotWaitForTheDatabase(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	s.Open("shop.go")
	p := s.PlanRename()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.State, store.FileName))
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
		_, err := s.Reject(context.Background(), view.Request{Plan: 1, Hash: p.Hash})
		rejected <- err
	}()
	for range 200 {
		s.TypeAt("shop.go", "package shop", "x")
		s.Board.Snapshot()
	}
	select {
	case err := <-rejected:
		t.Errorf("the rejection did not wait for the database (%v): the test shows nothing", err)
	default: // 200 keystrokes were faster than the decision, which waits
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := <-rejected; err != nil {
		t.Errorf("the rejection: %v", err)
	}
}

// Decisions read the live text while the user types: one edit must not move a hunk twice.
func TestDecisionsWhileTyping(t *testing.T) {
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "l%03d\n", i)
	}
	s := newSession(t, map[string]string{"a.txt": text.String()})
	s.Open("a.txt")
	var calls []decidetest.Call
	for i := 100; i < 200; i += 2 {
		c := edit("a.txt", fmt.Sprintf("l%03d\n", i), fmt.Sprintf("L%03d\n", i))
		calls = append(calls, c)
	}
	p := s.Plan("capitals", calls...)
	hunks := p.Files[0].Hunks
	var deciding sync.WaitGroup
	deciding.Go(func() {
		for i := range 30 {
			d := view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{hunks[len(hunks)-1-i].ID}}
			if _, err := s.Reject(s.Context(), d); err != nil {
				t.Error(err)
			}
		}
	})
	const typed = 1000
	for range typed {
		s.TypeAt("a.txt", "l000\n", "zzzz\n")
	}
	deciding.Wait()
	file := s.PlanNow(1).Files[0]
	if first := file.Hunks[0]; file.Line(0) != 100+typed || first.Status != "pending" {
		t.Errorf("the first hunk is %s at line %d, want pending at %d", first.Status, file.Line(0), 100+typed)
	}
}

// The outcome of an execution is stored although another process has rated the plan meanwhile,
// and so is the rating.
func TestARatingDuringAnExecutionLosesNothing(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	other := s.Another()
	s.Editor.OnApply = func(edits.Change) (edits.Applied, bool) {
		if _, err := other.Rate(s.Context(), 1, 4); err != nil {
			t.Error(err)
		}
		return edits.Applied{}, false
	}
	if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash}); r.State != "completed" {
		t.Errorf("the plan is %s, want completed", r.State)
	}
	s.WantNothingUnfinished()
	s.Restart()
	if got := s.PlanNow(1); got.State != "completed" || got.Rating != 4 {
		t.Errorf("after a restart the plan is %s, rated %d; want completed, rated 4", got.State, got.Rating)
	}
}

// A rejection by another process during an undo is kept.
func TestARejectionDuringAnUndoIsKept(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := s.PlanRename()
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	other := s.Another()
	s.Editor.OnApply = func(edits.Change) (edits.Applied, bool) {
		if _, err := other.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h2"}}); err != nil {
			t.Error(err)
		}
		return edits.Applied{}, false
	}
	if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.WantNothingUnfinished()
	s.Restart()
	s.WantHunks(1, "pending", "rejected")
	if got := s.PlanNow(1).State; got != "awaiting_approval" {
		t.Errorf("the plan is %s, want awaiting_approval", got)
	}
}

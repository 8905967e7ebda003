//go:build unix

package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/store/storetest"
	"redline/agent/view"
	"redline/edits"
)

// onDisk starts a session whose store is on a disk that can become full.
func onDisk(t *testing.T, files map[string]string) (*session, *storetest.Disk) {
	t.Helper()
	disk := storetest.New()
	s := &session{t: t, dir: t.TempDir(), state: t.TempDir(), model: &script{}, vfs: disk.Name}
	for name, text := range files {
		s.writeFile(name, text)
	}
	s.start()
	return s, disk
}

// notices returns the notices that the user got.
func (s *session) notices() string {
	s.ed.mu.Lock()
	defer s.ed.mu.Unlock()
	var all []string
	for _, e := range s.ed.events {
		if e.Kind == state.Noticed {
			all = append(all, e.Text+e.Error)
		}
	}
	return strings.Join(all, "\n")
}

func (s *session) wantNotice(words ...string) {
	s.t.Helper()
	for _, w := range words {
		if !strings.Contains(s.notices(), w) {
			s.t.Errorf("the user was told %q, not %q", s.notices(), w)
		}
	}
}

// watched waits until ok, with a session that watches its store.
func (s *session) watched(ok func() bool) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.ctx())
	defer cancel()
	go s.agent.Board.Watch(ctx, time.Millisecond)
	for !ok() {
		next := s.ed.next()
		if ok() {
			return
		}
		select {
		case <-next:
		case <-ctx.Done():
			s.t.Fatal("it did not become so")
		}
	}
}

// The work of a turn is not lost when the disk is full: it is kept in memory and
// stored as soon as there is room.
func TestAPlanIsStoredWhenThereIsRoomAgain(t *testing.T) {
	s, disk := onDisk(t, map[string]string{"shop.go": shop})
	if _, err := s.agent.State(s.ctx(), true); err != nil {
		t.Fatal(err)
	}
	s.model.stages(edit("shop.go", "a / 5", "a / 4"))
	disk.Fail(storetest.FullDisk)
	turn := s.say(conversation.Message{Text: "tax", Client: "test"})
	if turn.State != "done" || s.agent.Conversations.PlanOf(turn.Turn) != 0 {
		t.Fatalf("the turn is %+v", turn)
	}
	s.wantNotice("The plan is ready, but it cannot be kept yet", "tries again by itself", "disk of "+s.state, "free some space")
	if err := s.agent.Keep(s.ctx()); !errors.Is(err, store.ErrFull) {
		t.Errorf("it was kept: %v", err)
	}
	disk.Repair()
	s.watched(func() bool {
		return s.agent.Conversations.PlanOf(turn.Turn) == 1 && strings.Contains(s.notices(), "kept now")
	})
	p := s.state1(1)
	s.restart()
	if kept := s.state1(1); kept.Hash != p.Hash || kept.State != "awaiting_approval" || len(kept.Operations) != 1 {
		t.Errorf("the store has %+v", kept)
	}
	s.approve(view.Request{Plan: 1, Hash: p.Hash})
	s.wantFile("shop.go", strings.Replace(shop, "a / 5", "a / 4", 1))
}

// A revision that waits for disk space keeps its plan in drafting, so that nobody decides on the
// revision before it as if it were the newest.
func TestARevisionIsStoredWhenThereIsRoomAgain(t *testing.T) {
	s, disk := onDisk(t, map[string]string{"shop.go": shop})
	first := renamed(s)
	s.model.stages(edit("shop.go", "a / 5", "a / 4"))
	disk.Fail(storetest.FullDisk)
	id, _, err := s.agent.Turns.Rework(s.ctx(), 1, "and the tax", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.wait(id)
	s.wantNotice("A revision of plan 1 is ready, but it cannot be kept yet")
	if got := s.state1(1); got.Revision != 1 || got.State != "drafting" {
		t.Errorf("meanwhile the plan is at revision %d, %s", got.Revision, got.State)
	}
	_, err = s.agent.Approve(s.ctx(), view.Request{Plan: 1, Hash: first.Hash})
	s.wantRefused(err, plan.WrongState)
	asked := len(s.model.asked)
	turn := s.say(conversation.Message{Text: "more", Client: "test", Conversation: first.Conversation, Decide: config.DecideAsk})
	if turn.State != "failed" || len(s.model.asked) > asked {
		t.Errorf("the turn is %s after %d requests: what it stages cannot be kept", turn.State, len(s.model.asked)-asked)
	}
	disk.Repair()
	s.watched(func() bool { return s.agent.Conversations.PlanOf(id) == 1 })
	if got := s.state1(1); got.Revision != 2 || got.State != "awaiting_approval" {
		t.Errorf("the plan is at revision %d, %s", got.Revision, got.State)
	}
}

// In a turn that asks about each edit, edits that cannot be stored are stored with the next reply,
// or when there is space again: the turn continues meanwhile.
func TestAskStoresWhenThereIsRoomAgain(t *testing.T) {
	for _, during := range []bool{true, false} {
		s, disk := onDisk(t, map[string]string{"a.txt": nine})
		hold := make(chan struct{})
		s.model.will(
			reply{calls: []model.Call{edit("a.txt", "one", "1")}},
			reply{wait: hold, calls: []model.Call{edit("a.txt", "five", "5")}},
			reply{calls: []model.Call{edit("a.txt", "nine", "9")}},
			reply{text: "Done."},
		)
		id := s.asks("figures")
		s.revision(1)
		s.ed.mu.Lock()
		calls := 0
		s.ed.hears = func(e state.Event) {
			if e.Kind == state.ToolCalled {
				if calls++; calls == 2 && during {
					disk.Repair()
				}
			}
		}
		s.ed.mu.Unlock()
		disk.Fail(storetest.FullDisk)
		close(hold)
		if turn := s.wait(id); turn.State != "done" {
			t.Errorf("the turn is %+v", turn)
		}
		if !during {
			s.wantNotice("A revision of plan 1 is ready, but it cannot be kept yet")
			if p := s.state1(1); p.Revision != 1 || p.State != "awaiting_approval" {
				t.Errorf("meanwhile the plan is at revision %d, %s", p.Revision, p.State)
			}
			disk.Repair()
			s.watched(func() bool { return strings.Contains(s.notices(), "kept now") })
		}
		p := s.state1(1)
		if got := operationIDs(p); got != "o1 o2 o3" {
			t.Errorf("the operations are %s", got)
		}
		s.restart()
		s.approve(view.Request{Plan: 1, Hash: p.Hash})
		s.wantFile("a.txt", strings.NewReplacer("one", "1", "five", "5", "nine", "9").Replace(nine))
		if p = s.state1(1); p.State != "completed" {
			t.Errorf("the plan is %s", p.State)
		}
	}
}

// A decision that cannot be stored is refused, and nothing is sent.
func TestADecisionThatCannotBeStoredIsNotCarriedOut(t *testing.T) {
	s, disk := onDisk(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	disk.Fail(storetest.FullDisk)
	for name, decide := range map[string]func() error{
		"approve": func() error { _, err := s.agent.Approve(s.ctx(), view.Request{Plan: 1, Hash: p.Hash}); return err },
		"reject": func() error {
			_, err := s.agent.Reject(s.ctx(), view.Request{Plan: 1, Hash: p.Hash})
			return err
		},
	} {
		if err := decide(); !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), "so this was not kept: free some space") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := s.ed.changed(); n != 0 {
		t.Errorf("%d changes were sent", n)
	}
	s.wantHunks(1, "pending", "pending")
	disk.Repair()
	s.approve(view.Request{Plan: 1, Hash: p.Hash})
}

// The outcome of an execution is shown in the session although it cannot be stored, and is stored,
// with its record closed, once that works.
func TestAnOutcomeIsStoredWhenThereIsRoomAgain(t *testing.T) {
	s, disk := onDisk(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	s.ed.apply = func(edits.Change) (edits.Applied, bool) {
		disk.Fail(storetest.FullDisk)
		return edits.Applied{}, false
	}
	r := s.approve(view.Request{Plan: 1, Hash: p.Hash})
	if r.State != "completed" || r.Files[0].Status != "applied" {
		t.Errorf("the answer is %+v", r)
	}
	s.wantNotice("What was done with plan 1 cannot be kept yet")
	s.ed.apply = nil
	if got := s.state1(1); got.State != "completed" {
		t.Errorf("the state is %s", got.State)
	}
	if kept, err := s.store.Plan(s.ctx(), s.dir, 1); err != nil || kept.State != "executing" {
		t.Errorf("the store has %v, %v: the test shows nothing", kept.State, err)
	}
	// Another Redline does not touch it, since the process that executed it is alive.
	other := s.another()
	if err := other.Recover(s.ctx()); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Undo(s.ctx(), view.Request{Plan: 1}); err == nil {
		t.Error("another Redline has undone what is not settled")
	}
	disk.Repair()
	s.watched(func() bool { return strings.Contains(s.notices(), "What was done with plan 1 is kept now") })
	if kept, err := s.store.Plan(s.ctx(), s.dir, 1); err != nil || kept.State != "completed" {
		t.Errorf("the store has %v, %v", kept.State, err)
	}
	s.wantNothingUnfinished()
	if _, err := s.agent.Undo(s.ctx(), view.Request{Plan: 1}); err != nil {
		t.Error(err)
	}
	s.wantFile("shop.go", shop)
}

// An outcome that was never stored is found in the text by the next session.
func TestAnOutcomeThatWasNeverStored(t *testing.T) {
	s, disk := onDisk(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	s.ed.apply = func(edits.Change) (edits.Applied, bool) {
		disk.Fail(storetest.FullDisk)
		return edits.Applied{}, false
	}
	s.approve(view.Request{Plan: 1, Hash: p.Hash})
	s.agent.Close()
	s.store.Close()
	disk.Repair()
	s.restart()
	s.wantHunks(1, "applied", "applied")
	s.wantNothingUnfinished()
}

// A question is answered although no plan can be read.
func TestAQuestionNeedsNoStore(t *testing.T) {
	s, disk := onDisk(t, map[string]string{"shop.go": shop})
	disk.Fail(storetest.Unopenable)
	s.model.will(reply{text: "It is in shop.go."})
	if turn := s.say(conversation.Message{Text: "where?", Mode: "ask"}); turn.State != "done" || *turn.Answer != "It is in shop.go." {
		t.Errorf("the turn is %+v", turn)
	}
	turn := s.say(conversation.Message{Text: "change it"})
	if turn.State != "failed" || !strings.Contains(*turn.Error, "REDLINE_STATE_DIR") {
		t.Errorf("the turn is %+v", turn)
	}
	if n := len(s.model.asked); n != 1 {
		t.Errorf("the model was asked %d times: what it makes cannot be kept", n)
	}
}

// Order does not depend on the clock.
func TestTheClockGoesBackwards(t *testing.T) {
	s := &session{t: t, dir: t.TempDir(), state: t.TempDir(), model: &script{}}
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s.now = func() time.Time { at = at.Add(-time.Hour); return at } // each time an hour earlier
	s.writeFile("shop.go", shop)
	s.start()
	p := renamed(s)
	s.approve(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	if _, err := s.agent.Reject(s.ctx(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h2"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.agent.Undo(s.ctx(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.model.stages(edit("shop.go", "a / 5", "a / 4"))
	s.plan("tax")
	s.restart()
	state, err := s.agent.State(s.ctx(), true)
	if err != nil || len(state.Plans) != 2 || state.Plans[0].Plan != 1 || state.Plans[1].Goal != "tax" {
		t.Errorf("the plans are %+v, %v", state.Plans, err)
	}
	decisions, err := s.store.Decisions(s.ctx(), s.dir, 1)
	var verdicts []string
	for _, d := range decisions {
		verdicts = append(verdicts, string(d.Verdict))
	}
	if want := []string{"approve", "reject", "undo"}; err != nil || !slices.Equal(verdicts, want) {
		t.Errorf("the decisions are %v, %v; want %v", verdicts, err, want)
	}
	s.wantNothingUnfinished()
}

// Setting the clock back does not lengthen the wait for an editor that never answers.
func TestPatienceWithAClockThatGoesBackwards(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	s.agent.Close()
	s.store.Close()
	at := time.Now()
	s.now = func() time.Time { return at }
	s.start()
	p := renamed(s)
	s.ed.apply = unanswered
	s.approve(view.Request{Plan: 1, Hash: p.Hash})
	at = at.Add(-24 * time.Hour)
	_, err := s.agent.Approve(s.ctx(), view.Request{Plan: 1, Hash: p.Hash})
	s.wantRefused(err, plan.Busy)
	at = at.Add(2 * time.Minute)
	s.ed.apply = nil
	s.approve(view.Request{Plan: 1, Hash: p.Hash})
	s.wantHunks(1, "applied", "applied")
}

// What the store could not write is stored as soon as it can.
func TestAConversationIsStoredWhenThereIsRoomAgain(t *testing.T) {
	s, disk := onDisk(t, nil)
	if _, err := s.agent.State(s.ctx(), true); err != nil {
		t.Fatal(err)
	}
	s.model.will(reply{text: "1"}, reply{text: "2"}, reply{text: "3"})
	disk.Fail(storetest.FullDisk)
	first := s.say(conversation.Message{Text: "/ask one?", Client: "test"})
	s.say(conversation.Message{Text: "/ask two?", Client: "test"})
	if got := strings.Join(s.model.told(), " "); got != "one? 1 two?" {
		t.Errorf("meanwhile the model was told %q", got)
	}
	disk.Repair()
	if err := s.agent.Keep(s.ctx()); err != nil {
		t.Fatal(err)
	}
	s.restart()
	s.say(conversation.Message{Text: "/ask three?", Client: "test", Conversation: first.Conversation})
	if got := strings.Join(s.model.told(), " "); got != "one? 1 two? 2 three?" {
		t.Errorf("after the restart the model was told %q", got)
	}
}

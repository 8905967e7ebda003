//go:build unix

package board_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/agent/agenttest"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/decide/decidetest"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/store/storetest"
	"redline/agent/view"
	"redline/edits"
)

// told reports whether a notice has these words.
func told(s *agenttest.Session, words string) bool {
	return slices.ContainsFunc(s.Editor.Notices(), func(n string) bool { return strings.Contains(n, words) })
}

func wantNotice(s *agenttest.Session, words ...string) {
	s.T.Helper()
	for _, w := range words {
		if !told(s, w) {
			s.T.Errorf("the user was told %q, not %q", s.Editor.Notices(), w)
		}
	}
}

// watched waits until ok, with a session that watches its store.
func watched(s *agenttest.Session, ok func() bool) {
	s.T.Helper()
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	go s.Agent.Board.Follower.Watch(ctx, time.Millisecond)
	s.Until("it is stored", ok)
}

// The work of a turn is not lost when the disk is full: it is kept in memory and
// stored as soon as there is room.
func TestAPlanIsStoredWhenThereIsRoomAgain(t *testing.T) {
	s, disk := agenttest.OnDisk(t, map[string]string{"shop.go": decidetest.Shop})
	if _, err := s.Agent.State(s.Context(), true); err != nil {
		t.Fatal(err)
	}
	s.Model.Stages(agenttest.Edit("shop.go", "a / 5", "a / 4"))
	disk.Fail(storetest.FullDisk)
	turn := s.Say(conversation.Message{Text: "tax", Client: "test"})
	if turn.State != "done" || s.Agent.Conversations.PlanOf(turn.Turn) != 0 {
		t.Fatalf("the turn is %+v", turn)
	}
	wantNotice(s, "The plan is ready, but it cannot be kept yet", "tries again by itself", "disk of "+s.State, "free some space")
	if err := s.Agent.Keep(s.Context()); !errors.Is(err, store.ErrFull) {
		t.Errorf("it was kept: %v", err)
	}
	disk.Repair()
	watched(s, func() bool {
		return s.Agent.Conversations.PlanOf(turn.Turn) == 1 && told(s, "kept now")
	})
	p := s.PlanNow(1)
	s.Restart()
	if kept := s.PlanNow(1); kept.Hash != p.Hash || kept.State != "awaiting_approval" || len(kept.Operations) != 1 {
		t.Errorf("the store has %+v", kept)
	}
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantFile("shop.go", strings.Replace(decidetest.Shop, "a / 5", "a / 4", 1))
}

// A revision that waits for disk space keeps its plan in drafting, so that nobody decides on the
// revision before it as if it were the newest.
func TestARevisionIsStoredWhenThereIsRoomAgain(t *testing.T) {
	s, disk := agenttest.OnDisk(t, map[string]string{"shop.go": decidetest.Shop})
	first := s.PlanRename()
	s.Model.Stages(agenttest.Edit("shop.go", "a / 5", "a / 4"))
	disk.Fail(storetest.FullDisk)
	id, _, err := s.Agent.Turns.Rework(s.Context(), 1, "and the tax", "test")
	if err != nil {
		t.Fatal(err)
	}
	s.Wait(id)
	wantNotice(s, "A revision of plan 1 is ready, but it cannot be kept yet")
	if got := s.PlanNow(1); got.Revision != 1 || got.State != "drafting" {
		t.Errorf("meanwhile the plan is at revision %d, %s", got.Revision, got.State)
	}
	_, err = s.Agent.Approve(s.Context(), view.Request{Plan: 1, Hash: first.Hash})
	s.WantRefused(err, plan.WrongState)
	asked := len(s.Model.Asked())
	turn := s.Say(conversation.Message{Text: "more", Client: "test", Conversation: first.Conversation, Decide: config.DecideAsk})
	if turn.State != "failed" || len(s.Model.Asked()) > asked {
		t.Errorf("the turn is %s after %d requests: what it stages cannot be kept", turn.State, len(s.Model.Asked())-asked)
	}
	disk.Repair()
	watched(s, func() bool { return s.Agent.Conversations.PlanOf(id) == 1 })
	if got := s.PlanNow(1); got.Revision != 2 || got.State != "awaiting_approval" {
		t.Errorf("the plan is at revision %d, %s", got.Revision, got.State)
	}
}

// In a turn that asks about each edit, edits that cannot be stored are stored with the next reply,
// or when there is space again: the turn continues meanwhile.
func TestAskStoresWhenThereIsRoomAgain(t *testing.T) {
	for _, during := range []bool{true, false} {
		s, disk := agenttest.OnDisk(t, map[string]string{"a.txt": decidetest.Nine})
		hold := make(chan struct{})
		s.Model.Will(
			agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}},
			agenttest.Reply{Wait: hold, Calls: []model.Call{agenttest.Edit("a.txt", "five", "5")}},
			agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "nine", "9")}},
			agenttest.Reply{Text: "Done."},
		)
		id := s.AskEach("figures")
		s.AwaitRevision(1)
		calls := 0
		s.Editor.Hear(state.ToolCalled, func() {
			if calls++; calls == 2 && during {
				disk.Repair()
			}
		})
		disk.Fail(storetest.FullDisk)
		close(hold)
		if turn := s.Wait(id); turn.State != "done" {
			t.Errorf("the turn is %+v", turn)
		}
		if !during {
			wantNotice(s, "A revision of plan 1 is ready, but it cannot be kept yet")
			if p := s.PlanNow(1); p.Revision != 1 || p.State != "awaiting_approval" {
				t.Errorf("meanwhile the plan is at revision %d, %s", p.Revision, p.State)
			}
			disk.Repair()
			watched(s, func() bool { return told(s, "kept now") })
		}
		p := s.PlanNow(1)
		if got := decidetest.Operations(p); got != "o1 o2 o3" {
			t.Errorf("the operations are %s", got)
		}
		s.Restart()
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		s.WantFile("a.txt", strings.NewReplacer("one", "1", "five", "5", "nine", "9").Replace(decidetest.Nine))
		if p = s.PlanNow(1); p.State != "completed" {
			t.Errorf("the plan is %s", p.State)
		}
	}
}

// A decision that cannot be stored is refused, and nothing is sent.
func TestADecisionThatCannotBeStoredIsNotCarriedOut(t *testing.T) {
	s, disk := agenttest.OnDisk(t, map[string]string{"shop.go": decidetest.Shop})
	p := s.PlanRename()
	disk.Fail(storetest.FullDisk)
	for name, decide := range map[string]func() error{
		"approve": func() error { _, err := s.Agent.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash}); return err },
		"reject": func() error {
			_, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
			return err
		},
	} {
		if err := decide(); !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), "so this was not kept: free some space") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(s.Editor.Asked()); n != 0 {
		t.Errorf("%d changes were sent", n)
	}
	s.WantHunks(1, "pending", "pending")
	disk.Repair()
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
}

// The outcome of an execution is shown in the session although it cannot be stored, and is stored,
// with its record closed, once that works.
func TestAnOutcomeIsStoredWhenThereIsRoomAgain(t *testing.T) {
	s, disk := agenttest.OnDisk(t, map[string]string{"shop.go": decidetest.Shop})
	p := s.PlanRename()
	s.Editor.OnApply = func(edits.Change) (edits.Applied, bool) {
		disk.Fail(storetest.FullDisk)
		return edits.Applied{}, false
	}
	r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	if r.State != "completed" || r.Files[0].Status != "applied" {
		t.Errorf("the answer is %+v", r)
	}
	wantNotice(s, "What was done with plan 1 cannot be kept yet")
	s.Editor.OnApply = nil
	if got := s.PlanNow(1); got.State != "completed" {
		t.Errorf("the state is %s", got.State)
	}
	if kept, err := s.Store.Plan(s.Context(), s.Dir, 1); err != nil || kept.State != "executing" {
		t.Errorf("the store has %v, %v: the test shows nothing", kept.State, err)
	}
	// Another Redline does not touch it, since the process that executed it is alive.
	other := s.Beside(s.Dir).Agent
	if err := other.Recover(s.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Undo(s.Context(), view.Request{Plan: 1}); err == nil {
		t.Error("another Redline has undone what is not settled")
	}
	disk.Repair()
	watched(s, func() bool { return told(s, "What was done with plan 1 is kept now") })
	if kept, err := s.Store.Plan(s.Context(), s.Dir, 1); err != nil || kept.State != "completed" {
		t.Errorf("the store has %v, %v", kept.State, err)
	}
	s.WantNothingUnfinished()
	if _, err := s.Agent.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Error(err)
	}
	s.WantFile("shop.go", decidetest.Shop)
}

// An outcome that was never stored is found in the text by the next session.
func TestAnOutcomeThatWasNeverStored(t *testing.T) {
	s, disk := agenttest.OnDisk(t, map[string]string{"shop.go": decidetest.Shop})
	p := s.PlanRename()
	s.Editor.OnApply = func(edits.Change) (edits.Applied, bool) {
		disk.Fail(storetest.FullDisk)
		return edits.Applied{}, false
	}
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.Agent.Close()
	s.Store.Close()
	disk.Repair()
	s.Restart()
	s.WantHunks(1, "applied", "applied")
	s.WantNothingUnfinished()
}

// A question is answered although no plan can be read.
func TestAQuestionNeedsNoStore(t *testing.T) {
	s, disk := agenttest.OnDisk(t, map[string]string{"shop.go": decidetest.Shop})
	disk.Fail(storetest.Unopenable)
	s.Model.Will(agenttest.Reply{Text: "It is in shop.go."})
	if turn := s.Say(conversation.Message{Text: "where?", Mode: "ask"}); turn.State != "done" || *turn.Answer != "It is in shop.go." {
		t.Errorf("the turn is %+v", turn)
	}
	turn := s.Say(conversation.Message{Text: "change it"})
	if turn.State != "failed" || !strings.Contains(*turn.Error, "REDLINE_STATE_DIR") {
		t.Errorf("the turn is %+v", turn)
	}
	if n := len(s.Model.Asked()); n != 1 {
		t.Errorf("the model was asked %d times: what it makes cannot be kept", n)
	}
}

// Order does not depend on the clock.
func TestTheClockGoesBackwards(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s.Clock = func() time.Time { at = at.Add(-time.Hour); return at } // each time an hour earlier
	s.Restart()
	p := s.PlanRename()
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h2"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Agent.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.Model.Stages(agenttest.Edit("shop.go", "a / 5", "a / 4"))
	s.Plan("tax")
	s.Restart()
	state, err := s.Agent.State(s.Context(), true)
	if err != nil || len(state.Plans) != 2 || state.Plans[0].Plan != 1 || state.Plans[1].Goal != "tax" {
		t.Errorf("the plans are %+v, %v", state.Plans, err)
	}
	decisions, err := s.Store.Decisions(s.Context(), s.Dir, 1)
	var verdicts []string
	for _, d := range decisions {
		verdicts = append(verdicts, string(d.Verdict))
	}
	if want := []string{"approve", "reject", "undo"}; err != nil || !slices.Equal(verdicts, want) {
		t.Errorf("the decisions are %v, %v; want %v", verdicts, err, want)
	}
	s.WantNothingUnfinished()
}

// Setting the clock back does not lengthen the wait for an editor that never answers.
func TestPatienceWithAClockThatGoesBackwards(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
	s.Agent.Close()
	s.Store.Close()
	at := time.Now()
	s.Clock = func() time.Time { return at }
	s.Start()
	p := s.PlanRename()
	s.Editor.OnApply = decidetest.Unanswered
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	at = at.Add(-24 * time.Hour)
	_, err := s.Agent.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.Busy)
	at = at.Add(2 * time.Minute)
	s.Editor.OnApply = nil
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantHunks(1, "applied", "applied")
}

// What the store could not write is stored as soon as it can.
func TestAConversationIsStoredWhenThereIsRoomAgain(t *testing.T) {
	s, disk := agenttest.OnDisk(t, nil)
	if _, err := s.Agent.State(s.Context(), true); err != nil {
		t.Fatal(err)
	}
	s.Model.Will(agenttest.Reply{Text: "1"}, agenttest.Reply{Text: "2"}, agenttest.Reply{Text: "3"})
	disk.Fail(storetest.FullDisk)
	first := s.Say(conversation.Message{Text: "/ask one?", Client: "test"})
	s.Say(conversation.Message{Text: "/ask two?", Client: "test"})
	if got := strings.Join(s.Model.Told(), " "); got != "one? 1 two?" {
		t.Errorf("meanwhile the model was told %q", got)
	}
	disk.Repair()
	if err := s.Agent.Keep(s.Context()); err != nil {
		t.Fatal(err)
	}
	s.Restart()
	s.Say(conversation.Message{Text: "/ask three?", Client: "test", Conversation: first.Conversation})
	if got := strings.Join(s.Model.Told(), " "); got != "one? 1 two? 2 three?" {
		t.Errorf("after the restart the model was told %q", got)
	}
}

package conversation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/session/sessiontest"
	"redline/agent/state"
)

// Turns of a conversation run in order, one at a time; another conversation does not
// wait for them. The user is told a turn's place before it starts.
func TestTurnsRunInOrder(t *testing.T) {
	f := newFixture(t)
	first, conv := f.say("one")
	f.next()
	second, _ := f.say("two")
	third, _ := f.say("three")
	other, otherConv := f.send(conversation.Message{Text: "beside", Client: "me", New: true})
	if got := f.next(); got.ID != other || otherConv == conv {
		t.Errorf("beside %s runs %s in %s", conv, got.ID, otherConv)
	}
	f.Cancel(func(turn *conversation.Turn) bool { return turn.ID == other })
	f.wantState(other, conversation.Cancelled)
	f.end(nil)
	for _, want := range []string{second, third} {
		if got := f.next(); got.ID != want {
			t.Errorf("%s runs, want %s", got.ID, want)
		}
		f.end(nil)
		f.wantState(want, conversation.Done)
	}
	f.wantState(first, conversation.Done)
	var got []string
	for _, e := range f.Editor.Events(state.TurnQueued, state.TurnStarted) {
		if e.Turn == third {
			got = append(got, fmt.Sprintf("%s %d", e.Kind, e.Place))
		}
	}
	if want := []string{"turn.queued 2", "turn.queued 1", "turn.started 0"}; !slices.Equal(got, want) {
		t.Errorf("of the third turn the user was told %q, want %q", got, want)
	}
	running, _ := f.Running()
	if turns := f.States(); len(turns) != 4 || turns[0].Turn != first || len(running) > 0 {
		t.Errorf("the session has %+v", turns)
	}
}

func TestMessagesThatAreRefused(t *testing.T) {
	f := newFixture(t)
	_, _, err := f.Send(conversation.Request{Message: conversation.Message{Text: " \n"}})
	wantRefused(t, err, plan.Invalid)
	f.say("runs")
	f.next()
	for range 20 {
		f.say("waits")
	}
	_, _, err = f.Send(conversation.Request{Message: conversation.Message{Text: "one more", Client: "me"}})
	wantRefused(t, err, plan.Busy)
	f.End()
	_, _, err = f.Send(conversation.Request{Message: conversation.Message{Text: "too late", New: true}})
	wantRefused(t, err, plan.NotAllowed)
	for _, turn := range f.States() {
		if turn.State != conversation.Cancelled {
			t.Errorf("after the end of the session %s is %s", turn.Turn, turn.State)
		}
	}
}

// The user is told of a turn that fails or panics, and the next one runs.
func TestATurnThatFails(t *testing.T) {
	f := newFixture(t)
	failed, _ := f.say("fail")
	f.next()
	panics, _ := f.say("panic")
	f.end(errors.New("no model answers"))
	f.next()
	f.do(func(context.Context, *conversation.Turn) error { panic("boom") })
	f.wantState(failed, conversation.Failed)
	f.wantState(panics, conversation.Failed)
	if err := f.Failure(failed); err == nil || err.Error() != "no model answers" {
		t.Errorf("the failure is %v", err)
	}
	for range 2 {
		if e := <-f.ended; e.State != conversation.Failed || e.Error == "" {
			t.Errorf("the end is %+v", e)
		}
	}
	_, err := f.Conversations.Wait(t.Context(), "t99")
	wantRefused(t, err, plan.Invalid)
}

// Cancel ends a queued turn without running it, and a running one through its context.
func TestCancel(t *testing.T) {
	f := newFixture(t)
	runs, _ := f.say("runs")
	f.next()
	queued, _ := f.say("waits")
	last, _ := f.say("is last")
	got := f.Cancel(func(turn *conversation.Turn) bool { return turn.ID == queued })
	if !slices.Equal(got, []string{queued}) {
		t.Errorf("cancelled %v", got)
	}
	f.wantState(queued, conversation.Cancelled)
	f.Cancel(func(turn *conversation.Turn) bool { return turn.ID == runs })
	f.wantState(runs, conversation.Cancelled)
	if got := f.next(); got.ID != last {
		t.Errorf("%s runs", got.ID)
	}
	f.end(nil)
	f.wantState(last, conversation.Done)
	if got := f.Cancel(func(*conversation.Turn) bool { return true }); len(got) != 0 {
		t.Errorf("cancelled %v, which had ended", got)
	}
	for _, e := range f.Editor.Events(state.TurnStarted) {
		if e.Turn == queued {
			t.Error("the turn that was cancelled in the queue began")
		}
	}
}

// The function that selects the turns to cancel can look into them.
func TestCancelByWhatATurnHas(t *testing.T) {
	f := newFixture(t)
	runs, _ := f.say("runs")
	f.next().Update(func(r *conversation.Result) { r.Plan = 7 })
	f.send(conversation.Message{Text: "beside", New: true})
	f.next()
	got := f.Cancel(func(turn *conversation.Turn) bool { return turn.Result().Plan == 7 })
	if !slices.Equal(got, []string{runs}) {
		t.Errorf("cancelled %v, want %s", got, runs)
	}
	f.wantState(runs, conversation.Cancelled)
}

// A conversation that is reserved runs no turn; a message that is sent meanwhile waits, for
// the turn that begins in it or for its release.
func TestAMessageToAReservedConversation(t *testing.T) {
	for _, begins := range []bool{true, false} {
		t.Run(fmt.Sprint("begins ", begins), func(t *testing.T) {
			f := newFixture(t)
			reserved, busy, err := f.Reserve(sessiontest.Timeout(t), "c1")
			if err != nil || busy {
				t.Fatal(busy, err)
			}
			sent, _ := f.send(conversation.Message{Text: "meanwhile", Conversation: "c1"})
			if e := f.Editor.Await(t, 1, state.TurnQueued)[0]; e.Turn != sent || e.Place != 1 {
				t.Errorf("the user was told %+v", e)
			}
			if begins {
				turn := reserved.Begin(conversation.Request{Message: conversation.Message{Text: "work"}}, func(context.Context, *conversation.Turn) error {
					if _, busy, err := f.Reserve(t.Context(), "c1"); !busy || err != nil {
						t.Errorf("while a turn runs Reserve says %v, %v", busy, err)
					}
					return nil
				})
				f.wantState(turn.ID, conversation.Done)
			} else {
				reserved.Release()
			}
			if got := f.next(); got.ID != sent {
				t.Errorf("%s runs", got.ID)
			}
			f.end(nil)
			f.wantState(sent, conversation.Done)
		})
	}
}

// Reserve waits for the cleanup of a turn that has ended, but not after the session's end.
func TestReserveWaitsForTheCleanup(t *testing.T) {
	f := newFixture(t)
	first, conv := f.say("one")
	f.next()
	putAway := make(chan struct{})
	f.do(func(context.Context, *conversation.Turn) error { return nil })
	f.wantState(first, conversation.Done)
	go func() { <-f.ended; close(putAway) }()
	reserved, busy, err := f.Reserve(sessiontest.Timeout(t), conv)
	if err != nil || busy {
		t.Fatalf("busy %v, %v", busy, err)
	}
	<-putAway // its end was reported before
	reserved.Release()

	f.End()
	_, _, err = f.Reserve(t.Context(), conv)
	wantRefused(t, err, plan.NotAllowed)
}

// Work beside the queue does not wait for it, and does not hold it up.
func TestWorkBesideTheQueue(t *testing.T) {
	f := newFixture(t)
	runs, conv := f.say("runs")
	f.next()
	id, _ := f.Do(conversation.Request{Message: conversation.Message{Text: "/plans", Client: "me"}}, func(_ context.Context, turn *conversation.Turn) error {
		turn.Update(func(r *conversation.Result) { r.Plan, r.Answer = 7, "Here." })
		return nil
	})
	if got := f.wait(id); got.State != conversation.Done || got.Answer == nil || *got.Answer != "Here." || f.PlanOf(id) != 7 {
		t.Errorf("got %+v", got)
	}
	if turns, _ := f.Running(); len(turns) != 1 || turns[0].Turn != runs {
		t.Errorf("running are %+v", turns)
	}
	ended := make(chan struct{})
	turn := f.Begin(conv, "a command", func(context.Context, *conversation.Turn) error { return nil }, func() { close(ended) })
	<-ended
	f.wantState(turn.ID, conversation.Done)
	f.end(nil)
	f.wantState(runs, conversation.Done)
}

// Each client has its own conversation and keeps it.
func TestWhichConversationIsMeant(t *testing.T) {
	f := newFixture(t)
	if got := f.IDFor(&conversation.Message{Client: "me"}); got != "" {
		t.Errorf("before the first message %q is meant", got)
	}
	_, mine := f.say("one")
	f.next()
	f.end(nil)
	_, yours := f.send(conversation.Message{Text: "one", Client: "you"})
	f.next()
	f.end(nil)
	if got := f.IDFor(&conversation.Message{Client: "me"}); got != mine || mine == yours {
		t.Errorf("mine is %q, yours %q, meant %q", mine, yours, got)
	}
	last, conv, ok := f.Last(&conversation.Message{Client: "you"})
	if !ok || conv != yours || last.Text != "one" {
		t.Errorf("the last request is %+v in %q, %v", last, conv, ok)
	}
	c := f.Find(&conversation.Request{Message: conversation.Message{Client: "me", Decide: "ask"}})
	if c.ID != mine || f.Decide(c) != "ask" {
		t.Errorf("%q decides by %q", c.ID, f.Decide(c))
	}
}

// A conversation queues a limited number of messages; cancelling one makes room, and the cancelled
// one is never sent to the model.
func TestTheQueueIsBounded(t *testing.T) {
	s := agenttest.New(t, nil)
	release, begun := make(chan struct{}), make(chan struct{})
	s.Model.Will(agenttest.Reply{Text: "1", Wait: release, Begun: begun})
	send := func() (string, error) {
		id, _, err := s.Agent.Turns.Send(conversation.Message{Text: "/ask what?", Client: "test"})
		return id, err
	}
	if _, err := send(); err != nil {
		t.Fatal(err)
	}
	<-begun
	var waiting []string
	for range 20 {
		s.Model.Will(agenttest.Reply{Text: "more"})
		id, err := send()
		if err != nil {
			t.Fatal(err)
		}
		waiting = append(waiting, id)
	}
	_, err := send()
	s.WantRefused(err, plan.Busy)
	if err == nil || !strings.Contains(err.Error(), "20 messages wait") {
		t.Errorf("the refusal is %v", err)
	}
	if got := s.Agent.Cancel(waiting[3]); len(got) != 1 {
		t.Errorf("cancelled %v", got)
	}
	last, err := send()
	if err != nil {
		t.Fatal(err)
	}
	close(release)
	if turn := s.Wait(last); turn.State != "done" || turn.Place != 0 {
		t.Errorf("the last turn is %+v", turn)
	}
	if n := len(s.Model.Asked()); n != 21 {
		t.Errorf("the model was asked %d times", n)
	}
	for _, e := range s.Editor.Events(state.TurnQueued) {
		if e.Turn == waiting[19] && e.Place == 19 {
			return
		}
	}
	t.Error("nobody was told that the last of them moved up")
}

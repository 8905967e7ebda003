package lsp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/event"
	"redline/agent/state"
	"redline/lsp/command"
	"redline/lsp/lsptest"
)

// Events that wait for a slow client are joined: the fragments of a reply, and
// the states of a plan, of which the newest counts.
func TestWaitingEventsAreJoined(t *testing.T) {
	p := newPresenter(&session{client: client{events: true}})
	changed := func(turn string, plan int, shown string) event.Event {
		return event.Event{Kind: event.PlanChanged, Turn: turn, PlanNumber: plan, Plan: &state.Plan{Plan: plan, State: shown}}
	}
	for _, e := range []event.Event{
		{Kind: event.TokenArrived, Turn: "t1", Text: "a"},
		{Kind: event.TokenArrived, Turn: "t1", Text: "b"},
		changed("t1", 1, "awaiting_approval"),
		{Kind: event.TurnFinished, Turn: "t1"},
		changed("", 2, "executing"),
		changed("", 1, "reviewing"),
		changed("", 1, "executing"),
		changed("", 2, "completed"),
		changed("t2", 1, "awaiting_approval"), // of a turn that has begun since
		changed("", 1, "reviewing"),
	} {
		p.take(e)
	}
	want := []event.Event{
		{Kind: event.TokenArrived, Turn: "t1", Text: "ab"},
		changed("t1", 1, "executing"),
		{Kind: event.TurnFinished, Turn: "t1"},
		changed("", 2, "executing"), // that it was carried out is told
		changed("", 2, "completed"),
		changed("t2", 1, "reviewing"),
	}
	if diff := cmp.Diff(want, p.queue); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A client that shows answers itself gets them as events only; all else is said
// as to anybody.
func TestAnswersOfItsOwn(t *testing.T) {
	for name, c := range map[string]struct {
		option lsptest.Option
		want   int
	}{
		"events":  {lsptest.WithEvents(), 2},
		"answers": {lsptest.WithAnswers(), 1},
	} {
		t.Run(name, func(t *testing.T) {
			e := connect(t, lsptest.Honest(), map[string]string{"a.txt": "apple\n"}, c.option)
			ask := func(message string) {
				_, err := e.Execute(e.ctx, command.Chat, message)
				e.must(err)
			}
			ask("what can you do?")
			e.await(lsptest.Expect("the end of the first turn", finished)) // or the next message would be told to wait
			ask(`replace "apple" with "pear"`)
			e.await(lsptest.MessageContains("plan 1 is ready"))
			if got := len(e.Messages()); got != c.want {
				t.Errorf("there are %d messages, want %d: %v", got, c.want, e.Messages())
			}
		})
	}
}

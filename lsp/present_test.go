package lsp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent"
)

// Events that wait for a slow client are joined: the fragments of a reply, and
// the states of a plan, of which the newest counts.
func TestWaitingEventsAreJoined(t *testing.T) {
	p := newPresenter(&session{client: client{events: true}})
	changed := func(turn string, plan int, state string) agent.Event {
		return agent.Event{Kind: agent.PlanChanged, Turn: turn, PlanNumber: plan, Plan: &agent.PlanState{Plan: plan, State: state}}
	}
	for _, e := range []agent.Event{
		{Kind: agent.TokenArrived, Turn: "t1", Text: "a"},
		{Kind: agent.TokenArrived, Turn: "t1", Text: "b"},
		changed("t1", 1, "awaiting_approval"),
		{Kind: agent.TurnFinished, Turn: "t1"},
		changed("", 2, "executing"),
		changed("", 1, "reviewing"),
		changed("", 1, "executing"),
		changed("", 2, "completed"),
		changed("t2", 1, "awaiting_approval"), // of a turn that has begun since
		changed("", 1, "reviewing"),
	} {
		p.take(e)
	}
	want := []agent.Event{
		{Kind: agent.TokenArrived, Turn: "t1", Text: "ab"},
		changed("t1", 1, "executing"),
		{Kind: agent.TurnFinished, Turn: "t1"},
		changed("", 2, "executing"), // that it was carried out is told
		changed("", 2, "completed"),
		changed("t2", 1, "reviewing"),
	}
	if diff := cmp.Diff(want, p.queue); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

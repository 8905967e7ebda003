package present

import (
	"testing"

	"redline/agent/config"
	"redline/agent/state"

	"github.com/google/go-cmp/cmp"
)

// Events that wait for a slow client are merged: the fragments of a reply into one, and the
// states of a plan into the newest.
func TestWaitingEventsAreJoined(t *testing.T) {
	p := New(Options{Client: Client{Events: true}})
	changed := func(turn string, plan int, shown string) state.Event {
		return state.Event{Kind: state.PlanChanged, Turn: turn, PlanNumber: plan, Plan: &state.Plan{Plan: plan, State: shown}}
	}
	for _, e := range []state.Event{
		{Kind: state.TokenArrived, Turn: "t1", Text: "a"},
		{Kind: state.TokenArrived, Turn: "t1", Text: "b"},
		changed("t1", 1, "awaiting_approval"),
		{Kind: state.TurnFinished, Turn: "t1"},
		changed("", 2, "executing"),
		changed("", 1, "reviewing"),
		changed("", 1, "executing"),
		changed("", 2, "completed"),
		changed("t2", 1, "awaiting_approval"), // of a turn that began later
		changed("", 1, "reviewing"),
	} {
		p.Notify(e)
	}
	want := []state.Event{
		{Kind: state.TokenArrived, Turn: "t1", Text: "ab"},
		changed("t1", 1, "executing"),
		{Kind: state.TurnFinished, Turn: "t1"},
		changed("", 2, "executing"), // kept, so that the execution is reported
		changed("", 2, "completed"),
		changed("t2", 1, "reviewing"),
	}
	if diff := cmp.Diff(want, p.queue); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The output of a command is merged while it waits for a slow client.
func TestWaitingOutputIsJoined(t *testing.T) {
	p := New(Options{Client: Client{Events: true}})
	out := func(id, stream, text string) state.Event {
		return state.Event{Kind: state.CommandPrinted, Turn: "t1", ID: id, Stream: stream, Text: text}
	}
	for _, e := range []state.Event{out("o1", "stdout", "a"), out("o1", "stdout", "b"), out("o1", "stderr", "c"), out("o1", "stdout", "d"), out("o2", "stdout", "e")} {
		p.Notify(e)
	}
	want := []state.Event{out("o1", "stdout", "ab"), out("o1", "stderr", "c"), out("o1", "stdout", "d"), out("o2", "stdout", "e")}
	if diff := cmp.Diff(want, p.queue); diff != "" {
		t.Error(diff)
	}
	p = New(Options{})
	if p.Notify(out("o1", "stdout", "a")); len(p.queue) > 0 {
		t.Error("a client that follows no events has its output kept")
	}
}

// Whether the user is asked about a plan that is ready depends on the setting and on the
// client.
func TestWhoIsAskedWhenReady(t *testing.T) {
	for name, c := range map[string]struct {
		canAsk, beside bool
		auto, always   bool
	}{
		"no questions":           {false, false, false, false},
		"they may take the keys": {true, false, false, true},
		"they wait":              {true, true, true, true},
	} {
		for setting, want := range map[string]bool{config.AskAuto: c.auto, config.AskAlways: c.always, config.AskNever: false} {
			if got := asksWhenReady(setting, c.canAsk, c.beside); got != want {
				t.Errorf("%s, %s: %v", name, setting, got)
			}
		}
	}
}

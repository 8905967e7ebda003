package acp

import (
	"strings"
	"testing"

	"redline/agent/state"
	"redline/agent/trace"
)

// While nobody reads, the queue does not grow without bound, whatever happens. The ends of turns wait in it,
// and of each plan the newest state.
func TestQueueOfAClientThatDoesNotRead(t *testing.T) {
	var q queue
	newest := &state.Plan{Plan: 1, Revision: 2}
	for i := range 2 * maxEvents {
		for _, kind := range []state.EventKind{state.TokenArrived, state.ModelThinks, state.CommandPrinted} {
			q.add(state.Event{Kind: kind, Turn: "t1", Text: strings.Repeat("word ", 200)})
		}
		q.add(state.Event{Kind: state.Traced, Turn: "t1", Step: &trace.Step{Kind: trace.Tool, Detail: strings.Repeat("x", 100)}})
		q.add(state.Event{Kind: state.OutsideWorks, Turn: "t1", Step: &trace.Step{}})
		if i%10 == 0 {
			q.add(state.Event{Kind: state.PlanChanged, PlanNumber: 1, Plan: &state.Plan{Plan: 1, Revision: 1}})
		}
		if i == 0 {
			q.add(state.Event{Kind: state.PlanChanged, PlanNumber: 2})
		}
		q.add(state.Event{Kind: state.Noticed, Text: "Something."})
	}
	q.add(state.Event{Kind: state.PlanChanged, PlanNumber: 1, Plan: newest})
	q.add(state.Event{Kind: state.TurnFinished, Turn: "t1", Answer: "All of it."})
	bytes, plans := 0, 0
	for _, e := range q.events {
		bytes += len(e.Text)
		if e.Kind == state.PlanChanged {
			plans++
		}
	}
	if len(q.events) > maxEvents+3 || bytes > maxTexts+1000 || plans != 2 {
		t.Errorf("%d events, %d bytes, %d plans wait", len(q.events), bytes, plans)
	}
	if last := q.events[len(q.events)-2:]; last[0].Plan != newest || last[1].Answer != "All of it." {
		t.Errorf("at the end are %+v", last)
	}
}

// Pieces of a text become one, unless something came between them.
func TestPiecesOfATextAreJoined(t *testing.T) {
	var q queue
	for _, e := range []state.Event{
		{Kind: state.TokenArrived, Turn: "t1", Text: "a"}, {Kind: state.TokenArrived, Turn: "t1", Text: "b"},
		{Kind: state.TokenArrived, Turn: "t2", Text: "c"}, {Kind: state.Doing, Turn: "t2"}, {Kind: state.TokenArrived, Turn: "t2", Text: "d"},
		{Kind: state.ModelThinks, Turn: "t2", Text: "e"}, {Kind: state.TokenArrived, Turn: "t2", Text: "f"},
	} {
		q.add(e)
	}
	var got []string
	for _, e := range q.events {
		got = append(got, e.Text)
	}
	if strings.Join(got, " ") != "ab cd e f" {
		t.Errorf("there wait %q", got)
	}
}

package conversation_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/session/sessiontest"
	"redline/agent/state"
	"redline/agent/trace"
)

// turn records a turn that made a plan, and stores its trace.
func turn(t *testing.T, s *sessiontest.Fixture, all *conversation.Traces, id string, plan int) {
	t.Helper()
	ctx := all.Begin(t.Context(), id, "c1", "do it")
	trace.Record(ctx, trace.Step{Kind: trace.Limit, Summary: "first"})
	for _, e := range []state.Event{
		{Kind: state.Routed, Route: "tools", Summary: "edits"},
		{Kind: state.TokenArrived, Text: "no step"},
		{Kind: state.HunkStaged, Path: "a.txt"},
		{Kind: state.PlanChanged, Plan: &state.Plan{Plan: plan, Revision: 1}},
		{Kind: state.TurnFinished, State: "done", Answer: "Done.", PlanNumber: plan},
	} {
		e.Turn = id
		s.Notify(e)
	}
	all.Keep(id)
}

func kinds(tr trace.Trace) string {
	var out []string
	for _, s := range tr.Steps {
		out = append(out, string(s.Kind))
	}
	return strings.Join(out, " ")
}

// A trace has the steps of its turn's events. Each step is sent as an event, and the trace
// is found by its turn, its id and its plan, in the next session too.
func TestATraceIsRecordedAndFound(t *testing.T) {
	s := sessiontest.New(t, "")
	all := conversation.NewTraces(s.Session)
	turn(t, s, all, "t1", 3)
	turn(t, s, all, "t2", 3)
	if got := len(s.Editor.Events(state.Traced)); got != 8 {
		t.Errorf("%d steps were told", got)
	}
	last, err := all.List(t.Context(), "")
	if err != nil || len(last) != 1 || last[0].Turn != "t2" || kinds(last[0]) != "limit route staged revision" || last[0].State != "done" {
		t.Fatalf("the last trace is %+v, %v", last, err)
	}
	if err := s.Store.Flush(t.Context()); err != nil { // it would have been, soon
		t.Fatal(err)
	}
	again := s.Again()
	later := conversation.NewTraces(again.Session)
	for which, want := range map[string]int{"t1": 1, last[0].ID: 1, "3": 2, "": 1} {
		got, err := later.List(t.Context(), which)
		if err != nil || len(got) != want {
			t.Errorf("of %q there are %d, want %d: %v", which, len(got), want, err)
		}
	}
	path, err := later.Open(t.Context(), "3")
	if err != nil || path != ".redline/"+conversation.TracePage || !strings.Contains(again.Read(path), "do it") {
		t.Errorf("the page %q has %q, %v", path, again.Read(path), err)
	}
}

func TestTracesThatThereAreNot(t *testing.T) {
	s := sessiontest.New(t, "")
	all := conversation.NewTraces(s.Session)
	all.Begin(t.Context(), "t1", "c1", "/help") // nothing comes of it
	all.Keep("t1")
	for which, kind := range map[string]plan.RefusalKind{"": plan.Invalid, "t1": plan.Invalid, "7": plan.NoSuchPlan} {
		_, err := all.List(t.Context(), which)
		if r, ok := plan.RefusalOf(err); !ok || r.Kind != kind {
			t.Errorf("of %q: %v", which, err)
		}
	}
	if all.Of("t9") != nil || all.Of("t1") == nil {
		t.Error("Of is wrong")
	}
}

// The traces of the newest turns are in memory.
func TestTheNewestTracesAreInMemory(t *testing.T) {
	all := conversation.NewTraces(sessiontest.New(t, "").Session)
	var work sync.WaitGroup
	for i := range 49 {
		work.Go(func() { all.Begin(t.Context(), fmt.Sprint("beside", i), "c1", "x") })
	}
	work.Wait()
	all.Begin(t.Context(), "t50", "c1", "x")
	all.Begin(t.Context(), "t51", "c1", "x")
	if all.Of("t50") == nil || all.Of("t51") == nil {
		t.Error("the newest are not in memory")
	}
	kept := 0
	for i := range 49 {
		if all.Of(fmt.Sprint("beside", i)) != nil {
			kept++
		}
	}
	if kept != 48 {
		t.Errorf("%d of the others are in memory", kept)
	}
}

// The summary of a call has the names in it, never a text of a file.
func TestCallSummary(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"path": "a.go", "new_string": "a text"}`:                   "path a.go",
		`{"command": "go test", "name": "x"}`:                        "command go test, name x",
		`{"path":"a.go","symbol":"Total","line":3,"new_name":"Sum"}`: "path a.go, symbol Total, new_name Sum",
		`{"path`: "6 bytes that are not JSON",
		`{}`:     "",
	} {
		if got := conversation.CallSummary(model.Call{Arguments: arguments}); got != want {
			t.Errorf("%s is told as %q, want %q", arguments, got, want)
		}
	}
}

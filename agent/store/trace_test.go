package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"redline/agent/plan"
	"redline/agent/trace"
)

func saveTrace(t testing.TB, s *Store, workspace, id, turn string, plan int, ended time.Time) {
	t.Helper()
	err := s.SaveTrace(workspace, &trace.Trace{
		ID: id, Turn: turn, Plan: plan, Ended: ended.UTC(), Steps: []trace.Step{{Kind: trace.Route, Name: "tools"}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func traceIDs(t testing.TB, s *Store, workspace string, f TraceFilter) (ids []string) {
	t.Helper()
	list, err := s.Traces(t.Context(), workspace, f)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range list {
		ids = append(ids, found.ID)
	}
	return ids
}

func TestDatabaseWithTraces(t *testing.T) {
	s := storeOfVersion(t, 5)
	list, err := s.Traces(t.Context(), ws, TraceFilter{})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_912_345, time.UTC)
	same(t, list, []trace.Trace{{
		ID: "0a1b2c3d-t2", Turn: "t2", Conversation: "c1", Request: "tidy up", Plan: 4, State: "done",
		Began: at, Ended: at.Add(time.Second), Answer: "Done.", Left: 2,
		Steps: []trace.Step{{
			Kind: trace.Reply, At: time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC), Name: "m", Summary: "stop",
			Usage: &trace.Usage{Prompt: 120, Completion: 34}, Took: 500,
		}},
	}})
}

func TestTracesAreFound(t *testing.T) {
	s := newStore(t)
	saveTrace(t, s, ws, "a-t1", "t1", 1, now)
	saveTrace(t, s, ws, "a-t2", "t2", 0, now)
	saveTrace(t, s, ws, "b-t1", "t1", 1, now)
	saveTrace(t, s, "/other", "c-t1", "t1", 1, now)
	saveTrace(t, s, ws, "a-t2", "t2", 1, now) // again
	for want, f := range map[string]TraceFilter{
		"[a-t1 a-t2 b-t1]": {},
		"[b-t1]":           {Limit: 1},
		"[a-t1 b-t1]":      {Turn: "t1"},
		"[a-t2]":           {ID: "a-t2"},
		"[]":               {ID: "c-t1"},
	} {
		if got := fmt.Sprint(traceIDs(t, s, ws, f)); got != want {
			t.Errorf("%+v finds %s, want %s", f, got, want)
		}
	}
	if got := traceIDs(t, s, ws, TraceFilter{Plan: 1}); len(got) != 3 {
		t.Errorf("plan 1 has %v", got)
	}
}

func TestTracesAreBounded(t *testing.T) {
	s := newStore(t)
	saveTrace(t, s, "/other", "c-t1", "t1", 0, now)
	for i := range keepTraces + 3 {
		saveTrace(t, s, ws, fmt.Sprintf("a-t%d", i+1), fmt.Sprintf("t%d", i+1), 0, now)
	}
	if got := traceIDs(t, s, ws, TraceFilter{}); len(got) != keepTraces || got[0] != "a-t4" {
		t.Errorf("%d are kept, from %s", len(got), got[0])
	}
	if got := traceIDs(t, s, "/other", TraceFilter{}); len(got) != 1 {
		t.Errorf("the other workspace has %v", got)
	}
}

// Traces are removed with their plan, and by age.
func TestTracesArePruned(t *testing.T) {
	s := newStore(t)
	keep(t, s, ws, 90, plan.Completed, "a", "b")
	keep(t, s, ws, 0, plan.Completed, "c", "d")
	saveTrace(t, s, ws, "a-t1", "t1", 1, now)
	saveTrace(t, s, ws, "a-t2", "t2", 2, now)
	saveTrace(t, s, ws, "a-t3", "t3", 0, now.AddDate(0, 0, -90))
	saveTrace(t, s, "/other", "a-t4", "t4", 0, now.AddDate(0, 0, -90))
	r := Retention{Workspace: ws, Before: now.AddDate(0, 0, -30)}
	if removed := prune(t, s, r, false); len(removed) != 1 {
		t.Fatalf("removed %v", removed)
	}
	p, ok, err := s.BeginPruning(t.Context(), r)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer p.End()
	if err := p.RemoveTraces(t.Context(), r.Workspace, r.Before); err != nil {
		t.Fatal(err)
	}
	if got := traceIDs(t, s, ws, TraceFilter{}); !slices.Equal(got, []string{"a-t2"}) {
		t.Errorf("%v are kept", got)
	}
	if got := traceIDs(t, s, "/other", TraceFilter{}); len(got) != 1 {
		t.Errorf("the other workspace has %v", got)
	}
}

// BenchmarkSaveTrace measures the cost of a trace at the end of a turn.
func BenchmarkSaveTrace(b *testing.B) {
	s := newStore(b)
	t := trace.Trace{Turn: "t1"}
	for range 50 {
		t.Steps = append(t.Steps, trace.Step{Kind: trace.ToolDone, Name: "edit_file", Summary: "edit prices.go +1 −1", Path: "prices.go"})
	}
	for n := 0; b.Loop(); n++ {
		t.ID = fmt.Sprintf("a-t%d", n)
		if err := errors.Join(s.SaveTrace(ws, &t), s.Flush(b.Context())); err != nil {
			b.Fatal(err)
		}
	}
}

func TestFallbacks(t *testing.T) {
	s := newStore(t)
	saveTrace(t, s, ws, "a-t1", "t1", 0, now)
	for _, of := range []struct {
		workspace, id string
		ended         time.Time
	}{{ws, "a-t2", now}, {"/other", "b-t1", now}, {ws, "a-t0", now.Add(-48 * time.Hour)}} {
		err := s.SaveTrace(of.workspace, &trace.Trace{ID: of.id, Turn: "t", Ended: of.ended.UTC(), Request: `"kind":"fallback"`,
			Steps: []trace.Step{{Kind: trace.Fallback, Name: trace.ByRules}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := s.SaveTrace(ws, &trace.Trace{ID: "a-t3", Turn: "t3", Ended: now.UTC(), Request: `"kind":"fallback"`, Steps: []trace.Step{{Kind: trace.Route}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		workspace string
		since     time.Time
		all       int
		want      string
	}{
		{ws, time.Time{}, 4, "[a-t0 a-t2]"}, {ws, now.Add(-24 * time.Hour), 3, "[a-t2]"}, {"", now, 4, "[a-t2 b-t1]"}, {"/none", now, 0, "[]"},
	} {
		all, taken, err := s.Fallbacks(t.Context(), c.workspace, c.since)
		ids := []string{}
		for _, found := range taken {
			ids = append(ids, found.ID)
		}
		slices.Sort(ids)
		if err != nil || all != c.all || fmt.Sprint(ids) != c.want {
			t.Errorf("%+v: %d, %v, %v", c, all, ids, err)
		}
	}
}

// The last trace of a conversation is found, whichever session it is of.
func TestTracesOfAConversation(t *testing.T) {
	s := newStore(t)
	for id, conversation := range map[string]string{"a-t1": "c1", "b-t1": "c2"} {
		if err := s.SaveTrace(ws, &trace.Trace{ID: id, Turn: "t1", Conversation: conversation, Ended: now}); err != nil {
			t.Fatal(err)
		}
	}
	for conversation, want := range map[string]string{"c1": "[a-t1]", "c2": "[b-t1]", "c3": "[]"} {
		if got := fmt.Sprint(traceIDs(t, s, ws, TraceFilter{Conversation: conversation, Limit: 1})); got != want {
			t.Errorf("of %s there are %s, want %s", conversation, got, want)
		}
	}
}

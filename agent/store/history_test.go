package store

import (
	"fmt"
	"testing"
	"time"

	"redline/agent/plan"
)

func TestHistories(t *testing.T) {
	s := newStore(t)
	for i := range 2*historyBatch + 3 { // of two workspaces, in turn
		p, texts := sample(1)
		p.Created = now.Add(time.Duration(i) * time.Hour).UTC()
		if err := s.CreatePlan(t.Context(), fmt.Sprintf("/ws%d", i%2), p, texts); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			d := &plan.Decision{Revision: 1, Hash: p.Latest().Hash, Verdict: plan.VerdictApprove, Hunks: []string{"h1"}, Stale: []string{"h2"}, At: now}
			id, err := s.Begin(t.Context(), "/ws1", p, d, nil)
			if err != nil {
				t.Fatal(err)
			}
			p.State, p.Updated = plan.Completed, now.Add(time.Second)
			if err := s.Finish(t.Context(), "/ws1", p, id, false); err != nil {
				t.Fatal(err)
			}
		}
	}
	read := func(workspace string, since time.Time) (list []plan.History) {
		t.Helper()
		err := s.Histories(t.Context(), workspace, since, func(h plan.History) error {
			list = append(list, h)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if got := read("", time.Time{}); len(got) != 2*historyBatch+3 || len(got[0].Revisions) != 1 {
		t.Errorf("%d plans", len(got))
	}
	if got := read("", now.Add(time.Hour*historyBatch)); len(got) != historyBatch+3 {
		t.Errorf("%d plans since", len(got))
	}
	got := read("/ws1", time.Time{})
	if len(got) != historyBatch+1 || got[0].Number != 1 || got[1].Number != 2 {
		t.Fatalf("%d plans", len(got))
	}
	h := got[0]
	if len(h.Decisions) != 1 || h.Decisions[0].Hunks[0] != "h1" || h.Decisions[0].Stale[0] != "h2" {
		t.Errorf("decisions %+v", h.Decisions)
	}
	if len(h.Executions) != 1 || h.Executions[0].Finished.Sub(h.Executions[0].Started) != time.Second || h.Executions[0].Outcome != plan.Completed {
		t.Errorf("executions %+v", h.Executions)
	}
}

func BenchmarkHistories10000(b *testing.B) {
	s := newStore(b)
	fill(b, s, 10_000)
	for b.Loop() {
		n := 0
		if err := s.Histories(b.Context(), "", time.Time{}, func(plan.History) error { n++; return nil }); err != nil || n != 10_000 {
			b.Fatal(n, err)
		}
	}
}

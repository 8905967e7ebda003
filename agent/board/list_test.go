package board_test

import (
	"fmt"
	"testing"

	"redline/agent/plan"
	"redline/agent/view"
)

// listed returns the number and state of each listed plan, oldest first.
func (s *session) listed(all bool) []string {
	s.t.Helper()
	plans, err := s.Board.PlanStates(s.Context(), all)
	s.Must(err)
	var out []string
	for _, p := range plans {
		out = append(out, fmt.Sprintf("%d %s", p.Plan, p.State))
	}
	return out
}

// A second list reads nothing again, and is still up to date.
func TestTheListIsOfNow(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\ntwo\n"})
	for range 2 {
		s.Plan("tidy up", edit("a.txt", "one", "1"))
	}
	s.listed(false)
	s.listed(false)
	s.Write("a.txt", "uno\ntwo\n")
	plans, err := s.Board.PlanStates(s.Context(), false)
	if err != nil || plans[0].Files[0].Hunks[0].Status != string(plan.HunkStale) {
		t.Errorf("a file was changed on disk: %+v, %v", plans[0].Files, err)
	}

	// Another process decides on an open plan, and on one that is done.
	other := s.Another()
	if _, err := other.Reject(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	want := "[1 cancelled 2 awaiting_approval]"
	for range 2 {
		if got := fmt.Sprint(s.listed(false)); got != want {
			t.Errorf("listed are %s, want %s", got, want)
		}
	}
	if _, err := other.Rate(s.Context(), 1, 5); err != nil {
		t.Fatal(err)
	}
	if plans, err := s.Board.PlanStates(s.Context(), false); err != nil || plans[0].Rating != 5 {
		t.Errorf("plan 1 was rated by another process: %+v, %v", plans[0], err)
	}
}

// The list has the open plans and the last 20, even if this session has forgotten some of them.
func TestTheListHasTheLastPlans(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	for n := 1; n <= 26; n++ {
		p := s.Plan("tidy up", edit("a.txt", "one", "1"))
		if n != 3 {
			if _, err := s.Reject(s.Context(), view.Request{Plan: p.Plan}); err != nil {
				t.Fatal(err)
			}
		}
		if n > 20 {
			got := s.listed(false)
			if len(got) != 20+min(n/23, 1) || n > 23 && (got[0] != "3 awaiting_approval" || got[1] != fmt.Sprintf("%d cancelled", n-19)) {
				t.Errorf("after %d plans: %v", n, got)
			}
		}
	}
	s.Restart()
	if got := s.listed(false); len(got) != 21 || got[0] != "3 awaiting_approval" || got[20] != "26 cancelled" {
		t.Errorf("after a restart: %v", got)
	}
	if got := s.listed(true); len(got) != 26 || got[0] != "1 cancelled" {
		t.Errorf("all: %v", got)
	}
}

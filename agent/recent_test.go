package agent_test

import (
	"fmt"
	"testing"

	"redline/agent"
	"redline/agent/decision"
	"redline/agent/plan"
)

// told is what the state tells of the plans: number and state, oldest first.
func (s *session) told(a *agent.Agent, all bool) []string {
	s.t.Helper()
	state, err := a.State(s.ctx(), all)
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, p := range state.Plans {
		out = append(out, fmt.Sprintf("%d %s", p.Plan, p.State))
	}
	return out
}

// Telling the state twice reads nothing again, and is still the truth.
func TestTheStateIsOfNow(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\ntwo\n"})
	for range 2 {
		s.model.stages(edit("a.txt", "one", "1"))
		s.plan("tidy up")
	}
	s.told(s.agent, false)
	s.told(s.agent, false)
	s.writeFile("a.txt", "uno\ntwo\n")
	state, err := s.agent.State(s.ctx(), false)
	if err != nil || state.Plans[0].Files[0].Hunks[0].Status != string(plan.HunkStale) {
		t.Errorf("a file was changed on disk: %+v, %v", state.Plans[0].Files, err)
	}

	// What another process decides, of an open plan and of one that is done.
	other := s.another()
	if _, err := other.Reject(s.ctx(), decision.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	want := "[1 cancelled 2 awaiting_approval]"
	for range 2 {
		if got := fmt.Sprint(s.told(s.agent, false)); got != want {
			t.Errorf("told %s, want %s", got, want)
		}
	}
	if _, err := other.Rate(s.ctx(), 1, 5); err != nil {
		t.Fatal(err)
	}
	if state, err := s.agent.State(s.ctx(), false); err != nil || state.Plans[0].Rating != 5 {
		t.Errorf("plan 1 was rated by another process: %+v, %v", state.Plans[0], err)
	}
}

// The state tells of the open plans and the last 20, also when this session
// has forgotten some of them.
func TestTheStateTellsOfTheLastPlans(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	for n := 1; n <= 26; n++ {
		s.model.stages(edit("a.txt", "one", "1"))
		p := s.plan("tidy up")
		if n != 3 {
			if _, err := s.agent.Reject(s.ctx(), decision.Request{Plan: p.Plan}); err != nil {
				t.Fatal(err)
			}
		}
		if n > 20 {
			got := s.told(s.agent, false)
			if len(got) != 20+min(n/23, 1) || n > 23 && (got[0] != "3 awaiting_approval" || got[1] != fmt.Sprintf("%d cancelled", n-19)) {
				t.Errorf("after %d plans: %v", n, got)
			}
		}
	}
	s.restart()
	if got := s.told(s.agent, false); len(got) != 21 || got[0] != "3 awaiting_approval" || got[20] != "26 cancelled" {
		t.Errorf("after a restart: %v", got)
	}
	if got := s.told(s.agent, true); len(got) != 26 || got[0] != "1 cancelled" {
		t.Errorf("all: %v", got)
	}
}

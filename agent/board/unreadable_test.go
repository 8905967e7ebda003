package board_test

import (
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/decide"
	"redline/agent/plan"
	"redline/agent/store/storetest"
	"redline/agent/view"
)

// A plan whose record cannot be read is listed as unreadable, can be rejected, and prevents nothing
// else: not the start, not other plans, not pruning, not the audit log.
func TestAPlanThatCannotBeRead(t *testing.T) {
	deep := strings.Repeat("[", 1_000_000)
	for name, query := range map[string]string{
		"broken progress":     `UPDATE plans SET progress = '{"hunks":' WHERE number = 1`,
		"broken operations":   `UPDATE revisions SET operations = '[1]' WHERE plan = 1`,
		"deep changes":        `UPDATE revisions SET changes = '` + deep + `' WHERE plan = 1`,
		"deep steps":          `UPDATE revisions SET steps = '` + deep + `' WHERE plan = 1`,
		"unknown blob":        `UPDATE revisions SET changes = replace(changes, 'sha256:', 'md5:') WHERE plan = 1`,
		"no revision":         `DELETE FROM revisions WHERE plan = 1`,
		"another current":     `UPDATE plans SET current = 9 WHERE number = 1`,
		"no text":             `DELETE FROM texts WHERE CAST(text AS TEXT) LIKE '%one%'`,
		"another text":        `UPDATE texts SET text = CAST('x' AS BLOB) WHERE CAST(text AS TEXT) LIKE '%one%'`,
		"an unknown state":    `UPDATE plans SET state = 'flying' WHERE number = 1`,
		"a number for a list": `UPDATE revisions SET predicted = 7 WHERE plan = 1`,
	} {
		t.Run(name, func(t *testing.T) {
			s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
			s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
			s.Plan("first")
			s.Model.Stages(agenttest.Edit("b.txt", "two", "2"))
			second := s.Plan("second")
			s.Die()
			s.Must(storetest.Damage(s.State, query))
			s.Start()
			s.Must(s.Agent.Recover(s.Context()))

			for _, all := range []bool{false, true} {
				state, err := s.Agent.State(s.Context(), all)
				s.Must(err)
				if len(state.Plans) != 2 || state.Plans[0].Plan != 1 || !strings.Contains(state.Plans[0].Description, "cannot be read") || state.Plans[1].Goal != "second" {
					t.Fatalf("all %t: the state has %+v", all, state.Plans)
				}
			}
			if p := s.PlanNow(1); !strings.Contains(p.Description, "Plan 1 cannot be read (") {
				t.Errorf("it is shown as %+v", p)
			}
			_, err := s.Agent.Approve(s.Context(), view.Request{Plan: 1})
			s.WantRefused(err, plan.WrongState)
			s.MustApprove(view.Request{Plan: 2, Hash: second.Hash})
			s.WantFile("b.txt", "2\n")
			s.WantFile("a.txt", "one\n")

			p, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1, Reason: "broken"})
			if err != nil || p.State != "cancelled" {
				t.Fatalf("rejecting it: %s, %v", p.State, err)
			}
			if _, err := s.Agent.Prune(s.Context(), decide.Prune{Keep: decide.Keep{Days: 1}}); err != nil {
				t.Errorf("pruning: %v", err)
			}
			if r, err := s.Store.VerifyAudit(s.Context()); err != nil || !r.Whole() {
				t.Errorf("the audit log: %+v, %v", r, err)
			}
			s.Restart()
			state, err := s.Agent.State(s.Context(), true)
			if err != nil || len(state.Plans) != 2 || state.Plans[0].State != "cancelled" {
				t.Errorf("afterwards: %+v, %v", state.Plans, err)
			}
			s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
			if third := s.Plan("third"); third.Plan != 3 {
				t.Errorf("the next plan is %d", third.Plan)
			}
		})
	}
}

// The older plans of a session stay what they are beside a newer one that cannot be read.
func TestANewerPlanThatCannotBeRead(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	s.Plan("first")
	s.Model.Stages(agenttest.Edit("b.txt", "two", "2"))
	s.Plan("second")
	s.Die()
	s.Must(storetest.Damage(s.State, `UPDATE revisions SET predicted = 7 WHERE plan = 2`))
	s.Start()
	s.Must(s.Agent.Recover(s.Context()))

	for _, all := range []bool{false, true} {
		state, err := s.Agent.State(s.Context(), all)
		s.Must(err)
		if len(state.Plans) != 2 || len(state.Plans[0].Files) != 1 || !strings.Contains(state.Plans[1].Description, "cannot be read") {
			t.Fatalf("all %t: the state has %+v", all, state.Plans)
		}
	}
	if len(s.Agent.Board.Snapshot().Plans) != 1 {
		t.Error("the first plan is not shown any more")
	}
}

package agent_test

import (
	"testing"

	"redline/agent/agenttest"
	"redline/agent/decide"
	"redline/agent/decide/decidetest"
	"redline/agent/plan"
)

// While a turn drafts a plan, nobody else can stage it.
func TestStagingWhileATurnDrafts(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": decidetest.Nine})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	s.Plan("figures")
	wait, begun := make(chan struct{}), make(chan struct{})
	s.Model.Will(agenttest.Reply{Text: "x", Wait: wait, Begun: begun})
	id, _, err := s.Agent.Turns.Rework(s.Context(), 1, "more", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	_, err = s.Agent.Stage(s.Context(), decide.Staging{Plan: 1, Clear: true})
	s.WantRefused(err, plan.WrongState)
	close(wait)
	s.Wait(id)
}

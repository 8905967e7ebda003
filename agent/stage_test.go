package agent_test

import (
	"testing"

	"redline/agent/decide"
	"redline/agent/plan"
)

// While a turn drafts a plan, nobody else can stage it.
func TestStagingWhileATurnDrafts(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": nine})
	s.model.stages(edit("a.txt", "one", "1"))
	s.plan("figures")
	wait, begun := make(chan struct{}), make(chan struct{})
	s.model.will(reply{text: "x", wait: wait, begun: begun})
	id, _, err := s.agent.Turns.Rework(s.ctx(), 1, "more", "test")
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	_, err = s.agent.Stage(s.ctx(), decide.Staging{Plan: 1, Clear: true})
	s.wantRefused(err, plan.WrongState)
	close(wait)
	s.wait(id)
}

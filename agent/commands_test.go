package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/decide/decidetest"
	"redline/agent/view"
)

func TestWhatFailedIsReworked(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(agenttest.Command("echo the reason; exit 3"), agenttest.Command("true"))
	s.Plan("figures")
	s.Allow(view.Request{Plan: 1})
	s.WantCommands(1, "failed", "o1:failed:3 o2:skipped")
	p := s.Rework(agenttest.Edit("a.txt", "one", "1"))
	if got := decidetest.Commands(p); p.State != "awaiting_approval" || got != "o1:pending o2:pending" {
		t.Errorf("%s, %s", p.State, got)
	}
	asked := fmt.Sprintf("%+v", s.Model.Asked()[len(s.Model.Asked())-2]) // the one that led to the new revision
	if !strings.Contains(asked, "exit code 3") || !strings.Contains(asked, "the reason") {
		t.Errorf("the model is not told what came of it: %s", asked)
	}
}

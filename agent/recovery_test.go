package agent_test

import (
	"context"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/decide/decidetest"
	"redline/agent/store"
	"redline/agent/view"
	"redline/edits"
)

// A status that the text shows is stored even if the session ends at that moment.
func TestTheOutcomeSurvivesTheEndOfTheSession(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
	p := s.PlanRename()
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		go s.Agent.Close()
		for s.Agent.Cancel("") != nil { // until the root context is done: then a message is refused
			if _, _, err := s.Agent.Turns.Send(conversation.Message{Text: "are you there"}); err != nil {
				break
			}
		}
		next, err := edits.Apply(c.Base, c.Edits)
		if err != nil {
			t.Error(err)
		}
		s.Write("shop.go", next)
		return edits.Applied{Path: c.Path, Status: edits.Done, Text: next}, true
	}
	_, _ = s.Agent.Approve(context.Background(), view.Request{Plan: 1, Hash: p.Hash}) // its answer does not matter
	again := store.New(s.State)
	defer again.Close()
	kept, err := again.Plan(s.Context(), s.Dir, 1)
	if err != nil || kept.State != "completed" {
		t.Errorf("the store says %v, %v; want completed", kept.State, err)
	}
}

package agent_test

import (
	"context"
	"testing"

	"redline/agent/conversation"
	"redline/agent/store"
	"redline/agent/view"
	"redline/edits"
)

// A status that the text shows is stored even if the session ends at that moment.
func TestTheOutcomeSurvivesTheEndOfTheSession(t *testing.T) {
	s := newSession(t, map[string]string{"shop.go": shop})
	p := renamed(s)
	s.ed.apply = func(c edits.Change) (edits.Applied, bool) {
		go s.agent.Close()
		for s.agent.Cancel("") != nil { // until the root context is done: then a message is refused
			if _, _, err := s.agent.Turns.Send(conversation.Message{Text: "are you there"}); err != nil {
				break
			}
		}
		next, err := edits.Apply(c.Base, c.Edits)
		if err != nil {
			t.Error(err)
		}
		s.writeFile("shop.go", next)
		return edits.Applied{Path: c.Path, Status: edits.Done, Text: next}, true
	}
	_, _ = s.agent.Approve(context.Background(), view.Request{Plan: 1, Hash: p.Hash}) // its answer does not matter
	again := store.New(s.state)
	defer again.Close()
	kept, err := again.Plan(s.ctx(), s.dir, 1)
	if err != nil || kept.State != "completed" {
		t.Errorf("the store says %v, %v; want completed", kept.State, err)
	}
}

package agent_test

import (
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/state"
)

// A conversation queues a limited number of messages; cancelling one makes room, and the cancelled
// one is never sent to the model.
func TestTheQueueIsBounded(t *testing.T) {
	s := agenttest.New(t, nil)
	release, begun := make(chan struct{}), make(chan struct{})
	s.Model.Will(agenttest.Reply{Text: "1", Wait: release, Begun: begun})
	send := func() (string, error) {
		id, _, err := s.Agent.Turns.Send(conversation.Message{Text: "/ask what?", Client: "test"})
		return id, err
	}
	if _, err := send(); err != nil {
		t.Fatal(err)
	}
	<-begun
	var waiting []string
	for range 20 {
		s.Model.Will(agenttest.Reply{Text: "more"})
		id, err := send()
		if err != nil {
			t.Fatal(err)
		}
		waiting = append(waiting, id)
	}
	_, err := send()
	s.WantRefused(err, plan.Busy)
	if err == nil || !strings.Contains(err.Error(), "20 messages wait") {
		t.Errorf("the refusal is %v", err)
	}
	if got := s.Agent.Cancel(waiting[3]); len(got) != 1 {
		t.Errorf("cancelled %v", got)
	}
	last, err := send()
	if err != nil {
		t.Fatal(err)
	}
	close(release)
	if turn := s.Wait(last); turn.State != "done" || turn.Place != 0 {
		t.Errorf("the last turn is %+v", turn)
	}
	if n := len(s.Model.Asked()); n != 21 {
		t.Errorf("the model was asked %d times", n)
	}
	for _, e := range s.Editor.Events(state.TurnQueued) {
		if e.Turn == waiting[19] && e.Place == 19 {
			return
		}
	}
	t.Error("nobody was told that the last of them moved up")
}

package turn_test

import (
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/conversation"
)

// A plan of another conversation that arrives while a model reads the message counts too: it is one
// of those that the user may mean.
func TestAPlanThatArrivesMeanwhileMayBeMeant(t *testing.T) {
	s := classifying(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	planned(s)
	begun, release := make(chan struct{}), make(chan struct{})
	reply := classification("proceed")
	reply.Begun, reply.Wait = begun, release
	s.Model.Will(reply)
	id, _, err := s.Agent.Turns.Send(conversation.Message{Text: "do not proceed", New: true, Client: "test"})
	s.Must(err)
	<-begun
	s.Model.Stages(agenttest.Edit("b.txt", "one", "1"))
	s.Say(conversation.Message{Text: "green", New: true, Client: "test", Mode: "plan"})
	close(release)
	if turn := s.Wait(id); turn.Answer == nil || !strings.Contains(*turn.Answer, "/approve N, where N is one of 1, 2.") {
		t.Errorf("turn: %+v", turn)
	}
}

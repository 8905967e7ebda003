package turn_test

import (
	"testing"

	"redline/agent/conversation"
	"redline/agent/view"
)

// A plan that another process rejects while a model reads the message is shown as rejected.
func TestAPlanIsShownAsItIsAfterTheModelHasReadTheMessage(t *testing.T) {
	s := classifying(t, map[string]string{"a.txt": "one\n"})
	talk := planned(s)
	other := s.Beside(s.Dir)
	r := classification("render")
	wait, begun := make(chan struct{}), make(chan struct{})
	r.Wait, r.Begun = wait, begun
	s.Model.Will(r)
	rejected := make(chan error, 1)
	go func() {
		defer close(wait)
		<-begun
		_, err := other.Decisions.Reject(s.Context(), view.Request{Plan: 1})
		rejected <- err
	}()
	s.Say(conversation.Message{Text: "What was it that you had in mind there, could I look at that?", Conversation: talk, Client: "test"})
	s.Must(<-rejected)
	if got := routed(s).Route; got != "render" {
		t.Fatalf("the message was routed to %s", got)
	}
	if got := s.Board.Held(1).Plan().State; got != "cancelled" {
		t.Errorf("the plan is shown as %s, and it is rejected", got)
	}
}

package conversation_test

import (
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/conversation"
)

// A named conversation continues in another session where it ended.
func TestAConversationOutlivesTheSession(t *testing.T) {
	s := agenttest.New(t, nil)
	s.Model.Will(agenttest.Reply{Text: "It is blue."}, agenttest.Reply{Text: "Sky."}, agenttest.Reply{Text: "So it is."})
	first := s.Say(conversation.Message{Text: "/ask what colour?", Client: "test"})
	s.Restart()
	s.Say(conversation.Message{Text: "/ask of what?", Client: "test", Conversation: first.Conversation})
	want := "what colour?\nIt is blue.\nof what?"
	if got := strings.Join(s.Model.Told(), "\n"); got != want {
		t.Errorf("the model was told %q, want %q", got, want)
	}
	s.Restart()
	s.Say(conversation.Message{Text: "/ask sure?", Client: "test", Conversation: first.Conversation})
	if got := strings.Join(s.Model.Told(), "\n"); got != want+"\nSky.\nsure?" {
		t.Errorf("after another restart the model was told %q", got)
	}
}

// Text that looks like a secret is not stored: only the session has it.
func TestSecretsAreNotStoredWithAConversation(t *testing.T) {
	s := agenttest.New(t, nil)
	s.Model.Will(agenttest.Reply{Text: "Noted."}, agenttest.Reply{Text: "Noted."}, agenttest.Reply{Text: "Noted."})
	first := s.Say(conversation.Message{Text: "/ask is password=hunter2hunter2 good?", Client: "test"})
	s.Say(conversation.Message{Text: "/ask sure?", Client: "test"})
	if got := s.Model.Told(); !strings.Contains(got[0], "hunter2") {
		t.Errorf("in its own session the model was told %q", got)
	}
	s.Restart()
	s.Say(conversation.Message{Text: "/ask sure?", Client: "test", Conversation: first.Conversation})
	if got := s.Model.Told(); got[0] != "is [removed] good?" {
		t.Errorf("after the restart the model was told %q", got)
	}
}

// Two processes may take part in one conversation.
func TestAConversationOfTwoProcesses(t *testing.T) {
	s := agenttest.New(t, nil)
	s.Model.Will(agenttest.Reply{Text: "1"}, agenttest.Reply{Text: "2"}, agenttest.Reply{Text: "3"})
	first := s.Say(conversation.Message{Text: "/ask one?", Client: "test"})
	other := s.Beside(s.Dir)
	other.Say(conversation.Message{Text: "/ask two?", Client: "test", Conversation: first.Conversation})
	s.Say(conversation.Message{Text: "/ask three?", Client: "test"})
	if got := strings.Join(s.Model.Told(), " "); got != "one? 1 two? 2 three?" {
		t.Errorf("the model was told %q", got)
	}
}

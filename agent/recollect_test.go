package agent_test

import (
	"strings"
	"testing"

	"redline/agent/conversation"
	"redline/agent/model"
)

// told returns what the model got in its last request, without the system prompt.
func (s *script) told() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.asked[len(s.asked)-1].Messages {
		if m.Role != model.RoleSystem {
			all = append(all, m.Content)
		}
	}
	return all
}

// A named conversation continues in another session where it ended.
func TestAConversationOutlivesTheSession(t *testing.T) {
	s := newSession(t, nil)
	s.model.will(reply{text: "It is blue."}, reply{text: "Sky."}, reply{text: "So it is."})
	first := s.say(conversation.Message{Text: "/ask what colour?", Client: "test"})
	s.restart()
	s.say(conversation.Message{Text: "/ask of what?", Client: "test", Conversation: first.Conversation})
	want := "what colour?\nIt is blue.\nof what?"
	if got := strings.Join(s.model.told(), "\n"); got != want {
		t.Errorf("the model was told %q, want %q", got, want)
	}
	s.restart()
	s.say(conversation.Message{Text: "/ask sure?", Client: "test", Conversation: first.Conversation})
	if got := strings.Join(s.model.told(), "\n"); got != want+"\nSky.\nsure?" {
		t.Errorf("after another restart the model was told %q", got)
	}
}

// Text that looks like a secret is not stored: only the session has it.
func TestSecretsAreNotStoredWithAConversation(t *testing.T) {
	s := newSession(t, nil)
	s.model.will(reply{text: "Noted."}, reply{text: "Noted."}, reply{text: "Noted."})
	first := s.say(conversation.Message{Text: "/ask is password=hunter2hunter2 good?", Client: "test"})
	s.say(conversation.Message{Text: "/ask sure?", Client: "test"})
	if got := s.model.told(); !strings.Contains(got[0], "hunter2") {
		t.Errorf("in its own session the model was told %q", got)
	}
	s.restart()
	s.say(conversation.Message{Text: "/ask sure?", Client: "test", Conversation: first.Conversation})
	if got := s.model.told(); got[0] != "is [removed] good?" {
		t.Errorf("after the restart the model was told %q", got)
	}
}

// Two processes may take part in one conversation.
func TestAConversationOfTwoProcesses(t *testing.T) {
	s := newSession(t, nil)
	s.model.will(reply{text: "1"}, reply{text: "2"}, reply{text: "3"})
	first := s.say(conversation.Message{Text: "/ask one?", Client: "test"})
	other := *s
	other.start()
	other.say(conversation.Message{Text: "/ask two?", Client: "test", Conversation: first.Conversation})
	s.say(conversation.Message{Text: "/ask three?", Client: "test"})
	if got := strings.Join(s.model.told(), " "); got != "one? 1 two? 2 three?" {
		t.Errorf("the model was told %q", got)
	}
}

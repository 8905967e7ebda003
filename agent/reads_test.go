package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/view"
)

func readFile(arguments string) model.Call {
	return model.Call{Name: "read_file", Arguments: arguments}
}

// lastUser returns the last message with the role of the user in the newest request.
func (s *session) lastUser() string {
	messages := s.newestRequest().Messages
	return messages[len(messages)-1].Content
}

// The next turn of a conversation knows which lines were read and are still the same, also in
// another session. Files that may hold secrets are not among them.
func TestNextTurnKnowsWhatWasRead(t *testing.T) {
	long := ""
	for i := range 100 {
		long += fmt.Sprintln("line", i+1)
	}
	s := newSession(t, map[string]string{"a.txt": "one\n", "long.txt": long, "b.txt": "two\n", ".env": "KEY=hunter2hunter2\n"})
	s.model.will(reply{calls: []model.Call{readFile(`{"path":"a.txt"}`), readFile(`{"path":"long.txt","start_line":1,"end_line":90}`), readFile(`{"path":"b.txt"}`), readFile(`{"path":".env"}`)}}, reply{text: "Words."})
	first := s.say(conversation.Message{Text: "/ask what is in a.txt and .env?", Client: "test"})
	s.writeFile("b.txt", "changed\n")
	s.writeFile("long.txt", "new\n"+long)
	s.restart()
	s.model.will(reply{text: "Yes."})
	s.say(conversation.Message{Text: "/ask sure?", Client: "test", Conversation: first.Conversation})
	got := s.lastUser()
	if !strings.Contains(got, "read before:\n  a.txt 1-1 of 1 (") || !strings.Contains(got, "\n  long.txt 2-91 of 101 (") || strings.Contains(got, "b.txt 1-1") || strings.Contains(got, ".env 1") {
		t.Errorf("the context is\n%s", got)
	}
	s.model.will(reply{text: "No."})
	s.say(conversation.Message{Text: "/ask another thing", Client: "test", New: true})
	if got := s.lastUser(); strings.Contains(got, "read before") {
		t.Errorf("another conversation knows it too:\n%s", got)
	}
}

// A plan in words that is worked out begins with the lines that were read for it, as they are now.
func TestWorkingOutBeginsWithWhatWasRead(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	s.model.will(
		reply{calls: []model.Call{readFile(`{"path":"a.txt"}`), readFile(`{"path":"b.txt"}`)}}, reply{text: "Change `a.txt`."}, reply{text: `{"files":["a.txt"]}`},
		reply{calls: []model.Call{edit("a.txt", "one", "1")}}, reply{text: "Done."},
	)
	s.say(conversation.Message{Text: "/text use figures", Client: "test"})
	s.writeFile("b.txt", "changed\n")
	s.wait(s.approve(view.Request{Plan: 1}).Turn)
	var about string
	for _, m := range s.model.asked[3].Messages {
		if strings.Contains(m.Content, "What was read for it") {
			about = m.Content
		}
	}
	if !strings.Contains(about, "a.txt lines 1-1 of 1:\n```\none\n```") || strings.Contains(about, "two") || strings.Contains(about, "changed") {
		t.Errorf("it begins with\n%s", about)
	}
}

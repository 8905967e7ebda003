package turn_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/view"
)

func readFile(arguments string) model.Call {
	return model.Call{Name: "read_file", Arguments: arguments}
}

// lastUser returns the last message with the role of the user in the newest request.
func lastUser(s *agenttest.Session) string {
	messages := s.LastRequest().Messages
	return messages[len(messages)-1].Content
}

// The next turn of a conversation knows which lines were read and are still the same, also in
// another session. Files that may hold secrets are not among them.
func TestNextTurnKnowsWhatWasRead(t *testing.T) {
	long := ""
	for i := range 100 {
		long += fmt.Sprintln("line", i+1)
	}
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "long.txt": long, "b.txt": "two\n", ".env": "KEY=hunter2hunter2\n"})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{readFile(`{"path":"a.txt"}`), readFile(`{"path":"long.txt","start_line":1,"end_line":90}`), readFile(`{"path":"b.txt"}`), readFile(`{"path":".env"}`)}}, agenttest.Reply{Text: "Words."})
	first := s.Say(conversation.Message{Text: "/ask what is in a.txt and .env?", Client: "test"})
	s.Write("b.txt", "changed\n")
	s.Write("long.txt", "new\n"+long)
	s.Restart()
	s.Model.Will(agenttest.Reply{Text: "Yes."})
	s.Say(conversation.Message{Text: "/ask sure?", Client: "test", Conversation: first.Conversation})
	got := lastUser(s)
	if !strings.Contains(got, "read before:\n  a.txt 1-1 of 1 (") || !strings.Contains(got, "\n  long.txt 2-91 of 101 (") || strings.Contains(got, "b.txt 1-1") || strings.Contains(got, ".env 1") {
		t.Errorf("the context is\n%s", got)
	}
	s.Model.Will(agenttest.Reply{Text: "No."})
	s.Say(conversation.Message{Text: "/ask another thing", Client: "test", New: true})
	if got := lastUser(s); strings.Contains(got, "read before") {
		t.Errorf("another conversation knows it too:\n%s", got)
	}
}

// A plan in words that is worked out begins with the lines that were read for it, as they are now.
func TestWorkingOutBeginsWithWhatWasRead(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{readFile(`{"path":"a.txt"}`), readFile(`{"path":"b.txt"}`)}}, agenttest.Reply{Text: "Change `a.txt`."}, agenttest.Reply{Text: `{"files":["a.txt"]}`},
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}, agenttest.Reply{Text: "Done."},
	)
	s.Say(conversation.Message{Text: "/text use figures", Client: "test"})
	s.Write("b.txt", "changed\n")
	s.Wait(s.MustApprove(view.Request{Plan: 1}).Turn)
	var about string
	for _, m := range s.Model.Asked()[3].Messages {
		if strings.Contains(m.Content, "What was read for it") {
			about = m.Content
		}
	}
	if !strings.Contains(about, "a.txt lines 1-1 of 1:\n```\none\n```") || strings.Contains(about, "two") || strings.Contains(about, "changed") {
		t.Errorf("it begins with\n%s", about)
	}
}

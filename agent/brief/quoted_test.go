package brief_test

import (
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/model"
)

// What another program reports about a file is not the user's words: it names no files.
func TestWhatIsQuotedNamesNothing(t *testing.T) {
	for _, quoted := range []bool{false, true} {
		s := agenttest.New(t, map[string]string{"a.go": "package a\n", ".env": "TOKEN=hunter2\n"})
		s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Call("read_file", map[string]any{"path": ".env"})}}, agenttest.Reply{Text: "Done."})
		if turn := s.Say(conversation.Message{Text: "Fix this problem: see @.env", Quoted: quoted, Mode: "plan", Path: "a.go", Client: "test"}); turn.State != "done" {
			t.Fatalf("turn: %+v", turn)
		}
		seen := ""
		for _, m := range s.Model.Asked()[1].Messages {
			seen += m.Content
		}
		if shown := strings.Contains(seen, "hunter2"); shown == quoted {
			t.Errorf("quoted %v: the secret is shown: %v", quoted, shown)
		}
	}
}

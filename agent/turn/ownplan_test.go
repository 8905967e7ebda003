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

// The model of a later request sees what its plan proposes, and the status of each part.
func TestTheModelSeesItsPlan(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\ntwo\nthree\nfour\nfive\nsix\nseven\n", ".env": "KEY=1\n", "big.txt": strings.Repeat("line\n", 9000), "gone.txt": "g\n"})
	s.Model.Stages(
		agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("a.txt", "three", "3"), agenttest.Edit("a.txt", "five", "5"), agenttest.Edit("a.txt", "seven", "7"),
		agenttest.Call("write_file", map[string]any{"path": "big.txt", "content": strings.Repeat("other\n", 9000)}),
		agenttest.Call("delete_file", map[string]any{"path": "gone.txt"}),
		agenttest.Call("write_file", map[string]any{"path": "new.txt", "content": "n\n"}),
	)
	p := s.Plan("figures")
	s.MustApprove(view.Request{Plan: 1, Hunks: []string{"h1"}})
	if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1, Hunks: []string{"h2"}, Reason: "three is right"}); err != nil {
		t.Fatal(err)
	}
	s.Open("a.txt")
	s.TypeAt("a.txt", "five", "typed ")
	s.Model.Will(agenttest.Reply{Text: "Well."})
	s.Say(conversation.Message{Text: "what have you changed in all?", Client: "test", Conversation: p.Conversation, Mode: "ask"})
	told := s.UserMessages()
	for _, want := range []string{
		"What plan 1 proposes:\n\nupdate \"a.txt\" (+4 −4), stale",
		"@@ -1,2 +1,2 @@ h1, applied\n-one\n+1\n two\n",
		"h2, rejected, because \"three is right\"\n two\n-three\n+3\n four\n",
		"h3, stale, because \"its lines were changed since it was proposed\"\n four\n-five\n+5\n six\n",
		"h4, pending\n six\n-seven\n+7\n",
		"\ndelete \"gone.txt\" (+0 −1), pending\n",
		"\ncreate \"new.txt\" (+1 −0), pending\n```diff\n@@ -0,0 +1 @@ ",
		"\nNot quoted, for their size: update \"big.txt\" (+9000 −9000), pending.",
	} {
		if !strings.Contains(told, want) {
			t.Errorf("the model is not told %q:\n%.4000s", want, told)
		}
	}
	if len(told) > 20<<10 {
		t.Errorf("the model is told %d bytes", len(told))
	}
}

// Lines of a file that may contain secrets are not quoted.
func TestTheModelSeesNoSecretsInItsPlan(t *testing.T) {
	s := agenttest.New(t, map[string]string{".env": "KEY=hush\n"})
	s.Model.Stages(agenttest.Edit(".env", "KEY=hush", "KEY=loud"))
	p := s.Plan("set KEY in .env")
	ask(s, p.Conversation, "what have you changed?")
	if told := s.UserMessages(); strings.Contains(told, "hush") || strings.Contains(told, "loud") || !strings.Contains(told, "its lines are not quoted") {
		t.Errorf("the model is told %s", told)
	}
}

// The text about a plan of many files stays within its limit.
func TestTheModelSeesItsPlanWithinBounds(t *testing.T) {
	files := map[string]string{}
	var calls []model.Call
	for i := range 60 {
		name := fmt.Sprintf("f%02d.txt", i)
		files[name] = strings.Repeat(fmt.Sprintf("line %d\n", i), 60)
		calls = append(calls, agenttest.Call("write_file", map[string]any{"path": name, "content": strings.Repeat("other\n", 60)}))
	}
	s := agenttest.New(t, files)
	s.Model.Stages(calls...)
	p := s.Plan("much")
	ask(s, p.Conversation, "what have you changed?")
	told := s.UserMessages()
	if quoted := strings.Count(told, "```diff"); len(told) > 24<<10 || quoted < 10 || !strings.Contains(told, "Not quoted, for their size: update \"f") || !strings.Contains(told, " more files.") {
		t.Errorf("%d bytes with %d files quoted:\n%s", len(told), quoted, told[max(0, len(told)-3000):])
	}
}

// After a rework the request names as proposed only what is left, and lists separately what an
// earlier revision has applied, until that is undone.
func TestTheModelSeesWhatEarlierRevisionsHaveApplied(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\ntwo\n", "b.txt": "b\n", ".env": "KEY=hush\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"), agenttest.Call("write_file", map[string]any{"path": "new.txt", "content": "n\n"}), agenttest.Call("write_file", map[string]any{"path": ".env", "content": "KEY=loud\n"}), agenttest.Edit("b.txt", "b", "B"))
	talk := s.Plan("figures, and KEY in .env").Conversation
	s.MustApprove(view.Request{Plan: 1, Paths: []string{"a.txt", "new.txt", ".env"}})
	s.Rework(agenttest.Edit("a.txt", "two", "2"), agenttest.Call("write_file", map[string]any{"path": ".env", "content": "KEY=loud\nB=1\n"}))
	ask(s, talk, "what have you changed in all?")
	wantReport(s, "What plan 1 proposes:\n\nupdate \"a.txt\" (+1 −1), pending\n```diff\n@@ -1,2 +1,2 @@ h5, pending\n 1\n-two\n+2\n```\n",
		"\n\nWhat earlier revisions of plan 1 have applied, and stays:\n\nupdate \"a.txt\" (+1 −1), by revision 1\n```diff\n@@ -1,2 +1,2 @@ h1, applied\n-one\n+1\n two\n```\n",
		"\nupdate \".env\" (+1 −1), by revision 1; its lines are not quoted, since the file may hold secrets")
	s.MustApprove(view.Request{Plan: 1})
	s.Restart() // the plan is closed
	ask(s, talk, "and now?")
	wantReport(s, "What plan 1 proposes:", "update \"a.txt\" (+1 −1), by revision 1", "@@ h1, applied\n-one\n+1\n")
	if _, err := s.Agent.Undo(s.Context(), view.Request{Plan: 1, Paths: []string{"a.txt"}}); err != nil {
		t.Fatal(err)
	}
	ask(s, talk, "and now?")
	if told := s.UserMessages(); strings.Contains(told, `update "a.txt" (+1 −1), by revision 1`) {
		t.Errorf("what was undone is told as applied:\n%s", told)
	}
}

package turn_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/chat"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/decide/decidetest"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
)

func replaceAll(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(text)
}

func TestAQuestionGetsAnAnswerAndNoPlan(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Call("read_file", map[string]any{"path": "a.txt"})}}, agenttest.Reply{Text: "It says one."})
	turn := s.Say(conversation.Message{Text: "what does a.txt say?", Mode: "ask"})
	if turn.State != "done" || turn.Answer == nil || *turn.Answer != "It says one." {
		t.Errorf("turn: %+v", turn)
	}
	if n := s.Agent.Conversations.PlanOf(turn.Turn); n != 0 {
		t.Errorf("plan %d came of a question", n)
	}
	for _, tool := range s.Model.Asked()[0].Tools {
		if strings.Contains(tool.Name, "edit") || strings.Contains(tool.Name, "write") {
			t.Errorf("a question was asked with the tool %s", tool.Name)
		}
	}
}

// A call whose arguments cannot be bound to an approval is refused; the other calls of its turn are
// kept.
func TestACallThatIsNoTextLosesNothing(t *testing.T) {
	for _, arguments := range []string{
		`{"path":"a.txt","old_string":"one","new_string":"\ud800"}`,
		`{"path":"a.txt","path":"a.txt","old_string":"one","new_string":"1"}`,
	} {
		s := agenttest.New(t, map[string]string{"a.txt": "one\ntwo\n"})
		s.Model.Stages(model.Call{Name: "edit_file", Arguments: arguments}, agenttest.Edit("a.txt", "two", "2"))
		if turn := s.Say(conversation.Message{Text: "numbers", Client: "test"}); turn.State != "done" {
			t.Fatalf("%s: turn: %+v", arguments, turn)
		}
		if p := s.PlanNow(1); len(p.Files) != 1 || len(p.Files[0].Hunks) != 1 {
			t.Errorf("%s: plan: %+v", arguments, p)
		}
	}
}

func TestAFollowUpMakesARevision(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
	p := s.PlanRename()
	if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}, Reason: "keep the name"}); err != nil {
		t.Fatal(err)
	}
	s.Model.Stages(agenttest.Edit("shop.go", "a / 5", "a / 4"))
	id, _, err := s.Agent.Turns.Rework(s.Context(), 1, "and change the tax", "test")
	if err != nil {
		t.Fatal(err)
	}
	if turn := s.Wait(id); turn.State != "done" {
		t.Fatalf("turn: %+v", turn)
	}
	if about := aboutIn(s.Model.Asked()[2].Messages); !strings.Contains(about, "keep the name") {
		t.Errorf("the model was not told why a hunk was rejected:\n%s", about)
	}
	next := s.PlanNow(1)
	if next.Revision != 2 || next.Hash == p.Hash || len(next.Revisions) != 2 || next.State != "awaiting_approval" {
		t.Fatalf("plan: %+v", next)
	}
	hunks := next.Files[0].Hunks
	if len(hunks) != 2 || hunks[0].ID != "h3" || hunks[1].ID != "h2" {
		t.Fatalf("hunks %+v, want the new h3 and the kept h2", hunks)
	}
	_, err = s.Agent.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.HashMismatch)
	s.MustApprove(view.Request{Plan: 1, Hash: next.Hash})
	s.WantFile("shop.go", replaceAll(decidetest.Shop, "return Total(1, 2)", "return Add(1, 2)", "a / 5", "a / 4"))
}

// A rework that removes every proposal leaves an empty revision; it does not leave the plan
// unchanged.
func TestAReworkThatTakesAllBackIsARevision(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	before := s.Plan("figures")
	if p := s.Rework(agenttest.Edit("a.txt", "1", "one")); p.Revision != 2 || len(p.Operations)+len(p.Files) != 0 || p.State != "awaiting_approval" {
		t.Errorf("the plan is %+v", p)
	}
	_, err := s.Agent.Approve(s.Context(), view.Request{Plan: 1, Hash: before.Hash})
	s.WantRefused(err, plan.HashMismatch)
}

func TestARestartKeepsWhatWasShown(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
	p := s.PlanRename()
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}})
	s.Restart()
	again := s.PlanNow(1)
	if again.Hash != p.Hash || again.State != "reviewing" || again.Files[0].Hunks[0].Status != "applied" {
		t.Fatalf("after the restart: %+v", again)
	}
	s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
	s.WantFile("shop.go", replaceAll(decidetest.Shop, "func Total(", "func Add(", "return Total(1, 2)", "return Add(1, 2)"))
	s.Restart()
	if _, err := s.Agent.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
		t.Fatal(err)
	}
	s.WantFile("shop.go", decidetest.Shop)
}

func TestACommentRequestIsRemovedWithItsPlan(t *testing.T) {
	text := "package a\n\n// redline: add a constant\n// called Answer\nvar x = 1\n"
	s := agenttest.New(t, map[string]string{"a.go": text})
	s.Open("a.go")
	request, ok := chat.FindRequest(edits.NewLines(text), 2)
	if !ok {
		t.Fatal("the comment was not found")
	}
	s.Model.Stages(agenttest.Edit("a.go", "var x = 1\n", "const Answer = 42\n\nvar x = 1\n"))
	turn := s.Say(conversation.Message{Text: request.Text, Path: "a.go", Lines: &[2]int{2, 3}, Comment: &request})
	n := s.Agent.Conversations.PlanOf(turn.Turn)
	p := s.PlanNow(n)
	s.Workspace.Close(s.Workspace.URI("a.go")) // in this test the disk is the editor
	s.MustApprove(view.Request{Plan: n, Hash: p.Hash})
	s.WantFile("a.go", "package a\n\nconst Answer = 42\n\nvar x = 1\n")
}

func TestACommentThatTheModelEditedIsRemovedAllTheSame(t *testing.T) {
	text := "package a\n\n// redline: rename X to Y\nvar X = 1\n\n// redline: another request\nvar z = X\n"
	s := agenttest.New(t, map[string]string{"a.go": text})
	request, _ := chat.FindRequest(edits.NewLines(text), 2)
	s.Model.Stages(agenttest.Call("write_file", map[string]any{"path": "a.go", "content": "// new first line\n" + replaceAll(text, "X", "Y")}))
	turn := s.Say(conversation.Message{Text: request.Text, Path: "a.go", Comment: &request})
	n := s.Agent.Conversations.PlanOf(turn.Turn)
	s.MustApprove(view.Request{Plan: n, Hash: s.PlanNow(n).Hash})
	s.WantFile("a.go", "// new first line\npackage a\n\nvar Y = 1\n\n// redline: another request\nvar z = Y\n")
}

// What the model has staged is not lost if the comment cannot be removed.
func TestACommentInAFileThatCannotBeReadAnyMore(t *testing.T) {
	for _, decide := range []string{config.DecidePlan, config.DecideAsk} {
		t.Run(decide, func(t *testing.T) {
			text := "package a\n\n// redline: create b.go\n"
			s := agenttest.New(t, map[string]string{"a.go": text})
			request, _ := chat.FindRequest(edits.NewLines(text), 2)
			begun, wait := make(chan struct{}), make(chan struct{})
			s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Call("write_file", map[string]any{"path": "b.go", "content": "package a\n"})}, Begun: begun, Wait: wait}, agenttest.Reply{Text: "Done."})
			id, _, err := s.Agent.Turns.Send(conversation.Message{Text: request.Text, Path: "a.go", Comment: &request, Decide: decide})
			if err != nil {
				t.Fatal(err)
			}
			<-begun
			s.Write("a.go", "\x00\x01") // a binary file
			close(wait)
			if turn := s.Wait(id); turn.State != "done" {
				t.Fatalf("turn: %+v, %s", turn, *turn.Error)
			}
			p := s.PlanNow(s.Agent.Conversations.PlanOf(id))
			if p.Files[0].Path != "b.go" || p.Files[0].Status != "pending" {
				t.Errorf("the plan has %+v", p.Files)
			}
		})
	}
}

func TestABrokenStreamKeepsWhatWasStaged(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("shop.go", "a / 5", "a / 4")}, Err: errors.New("the stream broke")})
	turn := s.Say(conversation.Message{Text: "change the tax"})
	if turn.State != "failed" || turn.Error == nil {
		t.Fatalf("turn: %+v", turn)
	}
	n := s.Agent.Conversations.PlanOf(turn.Turn)
	if n == 0 {
		t.Fatal("what was staged is lost")
	}
	if p := s.PlanNow(n); !strings.Contains(p.Description, "Incomplete") {
		t.Errorf("the plan does not say that it is incomplete: %q", p.Description)
	}
}

func TestTurnsOfAConversationRunInOrderAndCanBeCancelled(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	begun, never := make(chan struct{}), make(chan struct{})
	s.Model.Will(agenttest.Reply{Text: "first", Wait: never, Begun: begun}, agenttest.Reply{Text: "second"})
	first, talk, err := s.Agent.Turns.Send(conversation.Message{Text: "wait", Client: "test"})
	if err != nil {
		t.Fatal(err)
	}
	second, same, err := s.Agent.Turns.Send(conversation.Message{Text: "go", Client: "test"})
	if err != nil || same != talk {
		t.Fatalf("conversation %s, want %s (%v)", same, talk, err)
	}
	<-begun
	if got := s.Agent.Cancel(first); len(got) != 1 || got[0] != first {
		t.Errorf("cancelled %v, want %s", got, first)
	}
	if state := s.Wait(first); state.State != "cancelled" {
		t.Errorf("the first turn is %s, want cancelled", state.State)
	}
	if state := s.Wait(second); state.State != "done" || *state.Answer != "second" {
		t.Errorf("the second turn: %+v", state)
	}
}

func TestWhatTheEditorDoesNotAnswerIsSettledByTheText(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
	s.Open("shop.go")
	p := s.PlanRename()
	s.Editor.OnApply = func(c edits.Change) (edits.Applied, bool) {
		return edits.Applied{Path: c.Path, Status: edits.Unknown, Reason: "no answer"}, true
	}
	if r := s.MustApprove(view.Request{Plan: 1, Hash: p.Hash, Hunks: []string{"h1"}}); r.State != "executing" || r.Files[0].Status != "applying" {
		t.Fatalf("result: %+v", r)
	}
	b, _ := s.Workspace.Buffer("shop.go")
	at := strings.Index(b.Lines.Text(), "Total(a, b int)")
	e := edits.Edit{Span: edits.Span{Start: at, End: at + len("Total")}, New: "Add"} // the editor applies it late
	if err := s.Workspace.Update(b.URI, 9, b.Lines.Replace(e), []edits.Edit{e}); err != nil {
		t.Fatal(err)
	}
	s.AwaitState(1, "reviewing")
	if got := s.PlanNow(1).Files[0].Hunks[0].Status; got != "applied" {
		t.Errorf("the hunk is %s, want applied", got)
	}
}

// A message that is not a valid command is refused with a sentence and has no effect.
func TestAMistypedCommandIsRefused(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
	_, _, err := s.Agent.Turns.Send(conversation.Message{Text: "/aprove 1"})
	s.WantRefused(err, plan.Invalid)
	if want := "There is no command /aprove, did you mean /approve? /help lists them all."; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestSlashCommandsDecide(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop})
	s.PlanRename()
	if turn := s.Say(conversation.Message{Text: "/approve 1 h1"}); turn.State != "done" {
		t.Fatalf("turn: %+v, %s", turn, *turn.Error)
	}
	s.WantFile("shop.go", replaceAll(decidetest.Shop, "func Total(", "func Add("))
	if turn := s.Say(conversation.Message{Text: "/approve"}); turn.State != "done" {
		t.Fatalf("turn: %+v, %s", turn, *turn.Error)
	}
	if turn := s.Say(conversation.Message{Text: "/undo 1"}); turn.State != "done" {
		t.Fatalf("turn: %+v, %s", turn, *turn.Error)
	}
	s.WantFile("shop.go", decidetest.Shop)
	if _, _, err := s.Agent.Turns.Send(conversation.Message{Text: "/aprove 1"}); err == nil || !strings.Contains(err.Error(), "/approve") {
		t.Errorf("a mistyped command: %v, want a hint at /approve", err)
	}
}

// Text that was in the chat file when it was opened cannot decide: it may be part of the
// repository.
func TestTheChatFileOfARepositoryCannotDecide(t *testing.T) {
	s := agenttest.New(t, map[string]string{"shop.go": decidetest.Shop, ".redline/chat.md": chat.FileTemplate + "\n/approve 1\n"})
	p := s.PlanRename()
	uri := s.Workspace.Own().URI("chat.md")
	s.Workspace.Open(uri, "markdown", 1, chat.FileTemplate+"\n/approve 1\n")
	turn := s.Say(conversation.Message{Text: "/send", Path: ".redline/chat.md"})
	if turn.State != "failed" {
		t.Errorf("turn: %+v", turn)
	}
	s.WantFile("shop.go", decidetest.Shop)
	if got := s.PlanNow(p.Plan).State; got != "awaiting_approval" {
		t.Errorf("state %s, want awaiting_approval", got)
	}
}

func TestCloseEndsRunningTurns(t *testing.T) {
	s := agenttest.New(t, nil)
	begun := make(chan struct{})
	s.Model.Will(agenttest.Reply{Text: "never", Wait: make(chan struct{}), Begun: begun})
	id, _, err := s.Agent.Turns.Send(conversation.Message{Text: "wait"})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	s.Agent.Close()
	if state, err := s.Agent.Conversations.Wait(context.Background(), id); err != nil || state.State != "cancelled" {
		t.Errorf("%+v, %v", state, err)
	}
}

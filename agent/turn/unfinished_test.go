package turn_test

import (
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/chat"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/share"
	"redline/agent/state"
	"redline/agent/view"
)

// limited makes limits end the session's turns.
func limited(s *agenttest.Session, limits loop.Limits, change ...func(*agent.Options)) {
	s.With(append(change, func(o *agent.Options) { o.Turns.Limits = limits })...)
}

// If a limit ends a turn, the turn and its plan say so: in the state, in the description, after a
// restart, when the user removes something from the plan, and in another workspace.
func TestWhatATurnLeavesUndoneStaysWithThePlan(t *testing.T) {
	files := map[string]string{"a.txt": "one\ntwo\n"}
	s, there := agenttest.New(t, files), agenttest.New(t, files)
	limited(s, loop.Limits{Requests: 1})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1"), agenttest.Edit("a.txt", "two", "2")}})
	const why = "The turn was ended after 1 requests to the model"
	turn := s.Say(conversation.Message{Text: "figures", Client: "test"})
	wantUndone := func(where string, unfinished []string) {
		t.Helper()
		if len(unfinished) != 1 || !strings.HasPrefix(unfinished[0], why) {
			t.Errorf("%s has left undone %q", where, unfinished)
		}
	}
	wantUndone("the turn", turn.Unfinished)
	for _, e := range s.Editor.Events(state.TurnFinished) {
		wantUndone("the event", e.Unfinished)
	}
	p := s.PlanNow(1)
	wantUndone("the plan", p.Unfinished)
	if !strings.Contains(p.Description, why) || p.Refused != nil {
		t.Errorf("the plan says %q, refused %v", p.Description, p.Refused)
	}
	s.Restart()
	wantUndone("the plan after a restart", s.PlanNow(1).Unfinished)
	imported, _, err := there.Agent.Import(there.Context(), "plan.json", exported(s, 1), decide.From{})
	if err != nil {
		t.Fatal(err)
	}
	wantUndone("the plan elsewhere", imported.Unfinished)
	less, err := s.Agent.Stage(s.Context(), decide.Staging{Plan: 1, Remove: []string{"o2"}})
	if err != nil {
		t.Fatal(err)
	}
	wantUndone("the plan with less in it", less.Unfinished)

	// The next turn finishes.
	s.Model.Stages(agenttest.Edit("a.txt", "two", "II"))
	if next := s.Say(conversation.Message{Text: "and two", Conversation: p.Conversation, Client: "test"}); next.Unfinished != nil {
		t.Errorf("the next turn has left undone %q", next.Unfinished)
	}
	if p := s.PlanNow(1); p.Revision != 3 || p.Unfinished != nil {
		t.Errorf("revision %d has left undone %q", p.Revision, p.Unfinished)
	}
}

// No rule of the user approves the plan of a turn that a limit has ended.
func TestNoRuleApprovesWhatIsUnfinished(t *testing.T) {
	for name, unfinished := range map[string]bool{"limited": true, "whole": false} {
		t.Run(name, func(t *testing.T) {
			s := agenttest.New(t, map[string]string{"a.txt": "one\ntwo\n"})
			limits := loop.Limits{}
			if unfinished {
				limits.Requests = 1
			}
			limited(s, limits, func(o *agent.Options) { o.Turns.SecondLook = config.SecondLookNever })
			s.Model.Will(agenttest.Reply{Text: "I shall write figures into a.txt."})
			words := s.Say(conversation.Message{Text: "figures", Client: "test", Mode: "text"})
			p := s.PlanNow(s.Agent.Conversations.PlanOf(words.Turn))
			s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}, agenttest.Reply{Text: "Done."})
			turn := s.Wait(s.MustApprove(view.Request{Plan: p.Plan, Hash: p.Hash}).Turn)
			if unfinished {
				if p := s.PlanNow(1); p.State != "awaiting_approval" || turn.Unfinished == nil {
					t.Errorf("the plan is %s, left undone %q", p.State, turn.Unfinished)
				}
				s.WantFile("a.txt", "one\ntwo\n")
				return
			}
			s.WantFile("a.txt", "1\ntwo\n")
		})
	}
}

// If a patch is refused in part, the plan names that part until it is fixed: in the same turn,
// after a question, or by a later turn.
func TestWhatIsRefusedStaysWithThePlan(t *testing.T) {
	partly := agenttest.Call("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: a.txt\n-one\n+1\n*** Update File: b.txt\n-nope\n+2\n*** End Patch\n"})
	mended := agenttest.Edit("b.txt", "two", "2")
	asked := agenttest.Call("ask_user", map[string]any{"question": "Go on?"})
	for _, c := range []struct {
		name    string
		replies []agenttest.Reply
		answer  string // to its question, "" for none
		refused bool
	}{
		{"not mended", []agenttest.Reply{{Calls: []model.Call{partly}}, {Text: "Done."}}, "", true},
		{"mended", []agenttest.Reply{{Calls: []model.Call{partly}}, {Calls: []model.Call{mended}}, {Text: "Done."}}, "", false},
		{"another file", []agenttest.Reply{{Calls: []model.Call{partly}}, {Calls: []model.Call{agenttest.Edit("c.txt", "three", "3")}}, {Text: "Done."}}, "", true},
		{"not mended after a question", []agenttest.Reply{{Calls: []model.Call{partly}}, {Calls: []model.Call{asked}}, {Text: "Done."}}, "yes", true},
		{"mended after a question", []agenttest.Reply{{Calls: []model.Call{partly}}, {Calls: []model.Call{asked}}, {Calls: []model.Call{mended}}, {Text: "Done."}}, "yes", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"})
			s.Model.Will(c.replies...)
			turn := s.Say(conversation.Message{Text: "figures", Client: "test"})
			if c.answer != "" {
				if turn.Question == nil || turn.Unfinished != nil {
					t.Errorf("asked %v, left undone %q", turn.Question, turn.Unfinished)
				}
				s.Restart()
				turn = s.Say(conversation.Message{Text: c.answer, Client: "test", Conversation: turn.Conversation})
			}
			s.Restart()
			p := s.PlanNow(1)
			if len(p.Refused) == 1 != c.refused || len(turn.Unfinished) == 1 != c.refused || strings.Contains(p.Description, "Left out: b.txt") != c.refused {
				t.Errorf("refused %v, the turn has left undone %q, the plan says %q", p.Refused, turn.Unfinished, p.Description)
			}
			if !c.refused {
				return
			}
			// A turn about something else leaves the note unchanged, and does not count as
			// unfinished itself.
			s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Call("write_file", map[string]any{"path": "c.txt", "content": "E\n"})}}, agenttest.Reply{Text: "Done."})
			turn = s.Say(conversation.Message{Text: "and c", Client: "test", Conversation: turn.Conversation})
			if p = s.PlanNow(1); len(p.Refused) != 1 || turn.Unfinished != nil {
				t.Errorf("after another turn refused %v, left undone %q", p.Refused, turn.Unfinished)
			}
			s.Model.Will(agenttest.Reply{Calls: []model.Call{mended}}, agenttest.Reply{Text: "Done."})
			s.Say(conversation.Message{Text: "and b", Client: "test", Conversation: turn.Conversation})
			if p = s.PlanNow(1); p.Refused != nil || strings.Contains(p.Description, "Left out") {
				t.Errorf("mended, refused %v: %s", p.Refused, p.Description)
			}
			s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
			s.WantFile("b.txt", "2\n")
		})
	}
}

// The plan names the refused edits of specialists too; a specialist that a limit has ended makes
// the turn unfinished.
func TestWhatSpecialistsLeaveUndone(t *testing.T) {
	partly := agenttest.Call("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: a.txt\n-one\n+1\n*** Update File: b.txt\n-nope\n+2\n*** End Patch\n"})
	wrong := agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "nothing like it", "1")}}
	s, c := agenttest.Specialists(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	c.Plans(`["code","docs"]`, "figures")
	c.Stages("code", "Code is done.", partly)
	c.Part("docs").Will(wrong, wrong, wrong)
	turn := s.AskSpecialists("figures")
	if len(turn.Unfinished) != 2 || !strings.Contains(turn.Unfinished[0], "the same call of edit_file 3 times") || !strings.HasPrefix(turn.Unfinished[1], "Left out: b.txt") {
		t.Errorf("left undone %q", turn.Unfinished)
	}
	p := s.PlanNow(1)
	if len(p.Refused) != 1 || len(p.Unfinished) != 2 || strings.Count(p.Description, "same call of edit_file") != 1 || strings.Count(p.Description, "Left out: b.txt") != 1 {
		t.Errorf("refused %v, left undone %q: %s", p.Refused, p.Unfinished, p.Description)
	}
}

// If each edit is asked about as it is staged, the turn and its plan name the refused edits, too.
func TestWhatIsRefusedWhileAsked(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Call("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: a.txt\n-one\n+1\n*** Update File: b.txt\n-nope\n+2\n*** End Patch\n"})}}, agenttest.Reply{Text: "Done."})
	turn := s.Wait(s.AskEach("figures"))
	if p := s.PlanNow(1); len(p.Refused) != 1 || len(turn.Unfinished) != 1 {
		t.Errorf("refused %v, left undone %q", p.Refused, turn.Unfinished)
	}
}

// Redline removes the comment that requested the change: that fixes nothing else in its file.
func TestRemovingTheCommentMendsNothing(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.go": "package a\n\n// redline: figures\nvar x = \"one\"\n", "b.txt": "two\n"})
	s.Open("a.go")
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Call("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: a.go\n-nope\n+1\n*** Update File: b.txt\n-two\n+2\n*** End Patch\n"})}}, agenttest.Reply{Text: "Done."})
	b, _ := s.Workspace.Buffer("a.go")
	r, ok := chat.FindRequest(b.Lines, 2)
	if !ok {
		t.Fatal("no comment")
	}
	s.Say(conversation.Message{Text: r.Text, Client: "test", Path: "a.go", Comment: &r})
	if p := s.PlanNow(1); len(p.Refused) != 1 || p.Refused[0].Path != "a.go" || len(p.Files) != 2 {
		t.Errorf("refused %v, files %v", p.Refused, p.Files)
	}
}

// exported returns a plan as a file.
func exported(s *agenttest.Session, n int) []byte {
	s.T.Helper()
	document, err := s.Agent.Export(s.Context(), n, share.With{})
	if err != nil {
		s.T.Fatal(err)
	}
	data, err := document.Encode(false)
	if err != nil {
		s.T.Fatal(err)
	}
	return data
}

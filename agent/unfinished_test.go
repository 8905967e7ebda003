package agent_test

import (
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/chat"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/turn"
	"redline/agent/view"
)

// limited makes limits end the session's turns.
func (s *session) limited(limits loop.Limits, change ...func(*agent.Options)) {
	s.agent.Close()
	o := agent.Options{Workspace: s.ws, Store: s.store, Model: s.model, Turns: turn.Options{Limits: limits}}
	for _, f := range change {
		f(&o)
	}
	s.agent = agent.New(o)
	s.agent.Session.Attach(s.ed)
	s.t.Cleanup(s.agent.Close)
}

// If a limit ends a turn, the turn and its plan say so: in the state, in the description, after a
// restart, when the user removes something from the plan, and in another workspace.
func TestWhatATurnLeavesUndoneStaysWithThePlan(t *testing.T) {
	files := map[string]string{"a.txt": "one\ntwo\n"}
	s, there := newSession(t, files), newSession(t, files)
	s.limited(loop.Limits{Requests: 1})
	s.model.will(reply{calls: []model.Call{edit("a.txt", "one", "1"), edit("a.txt", "two", "2")}})
	const why = "The turn was ended after 1 requests to the model"
	turn := s.say(conversation.Message{Text: "figures", Client: "test"})
	wantUndone := func(where string, unfinished []string) {
		t.Helper()
		if len(unfinished) != 1 || !strings.HasPrefix(unfinished[0], why) {
			t.Errorf("%s has left undone %q", where, unfinished)
		}
	}
	wantUndone("the turn", turn.Unfinished)
	for _, e := range s.events(state.TurnFinished) {
		wantUndone("the event", e.Unfinished)
	}
	p := s.state1(1)
	wantUndone("the plan", p.Unfinished)
	if !strings.Contains(p.Description, why) || p.Refused != nil {
		t.Errorf("the plan says %q, refused %v", p.Description, p.Refused)
	}
	s.restart()
	wantUndone("the plan after a restart", s.state1(1).Unfinished)
	imported, err := there.agent.Import(there.ctx(), "plan.json", s.exported(1))
	if err != nil {
		t.Fatal(err)
	}
	wantUndone("the plan elsewhere", imported.Unfinished)
	less, err := s.agent.Stage(s.ctx(), decide.Staging{Plan: 1, Remove: []string{"o2"}})
	if err != nil {
		t.Fatal(err)
	}
	wantUndone("the plan with less in it", less.Unfinished)

	// The next turn finishes.
	s.model.stages(edit("a.txt", "two", "II"))
	if next := s.say(conversation.Message{Text: "and two", Conversation: p.Conversation, Client: "test"}); next.Unfinished != nil {
		t.Errorf("the next turn has left undone %q", next.Unfinished)
	}
	if p := s.state1(1); p.Revision != 3 || p.Unfinished != nil {
		t.Errorf("revision %d has left undone %q", p.Revision, p.Unfinished)
	}
}

// No rule of the user approves the plan of a turn that a limit has ended.
func TestNoRuleApprovesWhatIsUnfinished(t *testing.T) {
	for name, unfinished := range map[string]bool{"limited": true, "whole": false} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{"a.txt": "one\ntwo\n"})
			limits := loop.Limits{}
			if unfinished {
				limits.Requests = 1
			}
			s.limited(limits, func(o *agent.Options) { o.Turns.SecondLook = config.SecondLookNever })
			s.model.will(reply{text: "I shall write figures into a.txt."})
			words := s.say(conversation.Message{Text: "figures", Client: "test", Mode: "text"})
			p := s.state1(s.agent.Conversations.PlanOf(words.Turn))
			s.model.will(reply{calls: []model.Call{edit("a.txt", "one", "1")}}, reply{text: "Done."})
			turn := s.wait(s.approve(view.Request{Plan: p.Plan, Hash: p.Hash}).Turn)
			if unfinished {
				if p := s.state1(1); p.State != "awaiting_approval" || turn.Unfinished == nil {
					t.Errorf("the plan is %s, left undone %q", p.State, turn.Unfinished)
				}
				s.wantFile("a.txt", "one\ntwo\n")
				return
			}
			s.wantFile("a.txt", "1\ntwo\n")
		})
	}
}

// If a patch is refused in part, the plan names that part until it is fixed: in the same turn,
// after a question, or by a later turn.
func TestWhatIsRefusedStaysWithThePlan(t *testing.T) {
	partly := call("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: a.txt\n-one\n+1\n*** Update File: b.txt\n-nope\n+2\n*** End Patch\n"})
	mended := edit("b.txt", "two", "2")
	asked := call("ask_user", map[string]any{"question": "Go on?"})
	for _, c := range []struct {
		name    string
		replies []reply
		answer  string // to its question, "" for none
		refused bool
	}{
		{"not mended", []reply{{calls: []model.Call{partly}}, {text: "Done."}}, "", true},
		{"mended", []reply{{calls: []model.Call{partly}}, {calls: []model.Call{mended}}, {text: "Done."}}, "", false},
		{"another file", []reply{{calls: []model.Call{partly}}, {calls: []model.Call{edit("c.txt", "three", "3")}}, {text: "Done."}}, "", true},
		{"not mended after a question", []reply{{calls: []model.Call{partly}}, {calls: []model.Call{asked}}, {text: "Done."}}, "yes", true},
		{"mended after a question", []reply{{calls: []model.Call{partly}}, {calls: []model.Call{asked}}, {calls: []model.Call{mended}}, {text: "Done."}}, "yes", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"})
			s.model.will(c.replies...)
			turn := s.say(conversation.Message{Text: "figures", Client: "test"})
			if c.answer != "" {
				if turn.Question == nil || turn.Unfinished != nil {
					t.Errorf("asked %v, left undone %q", turn.Question, turn.Unfinished)
				}
				s.restart()
				turn = s.say(conversation.Message{Text: c.answer, Client: "test", Conversation: turn.Conversation})
			}
			s.restart()
			p := s.state1(1)
			if len(p.Refused) == 1 != c.refused || len(turn.Unfinished) == 1 != c.refused || strings.Contains(p.Description, "Left out: b.txt") != c.refused {
				t.Errorf("refused %v, the turn has left undone %q, the plan says %q", p.Refused, turn.Unfinished, p.Description)
			}
			if !c.refused {
				return
			}
			// A turn about something else leaves the note unchanged, and does not count as
			// unfinished itself.
			s.model.will(reply{calls: []model.Call{call("write_file", map[string]any{"path": "c.txt", "content": "E\n"})}}, reply{text: "Done."})
			turn = s.say(conversation.Message{Text: "and c", Client: "test", Conversation: turn.Conversation})
			if p = s.state1(1); len(p.Refused) != 1 || turn.Unfinished != nil {
				t.Errorf("after another turn refused %v, left undone %q", p.Refused, turn.Unfinished)
			}
			s.model.will(reply{calls: []model.Call{mended}}, reply{text: "Done."})
			s.say(conversation.Message{Text: "and b", Client: "test", Conversation: turn.Conversation})
			if p = s.state1(1); p.Refused != nil || strings.Contains(p.Description, "Left out") {
				t.Errorf("mended, refused %v: %s", p.Refused, p.Description)
			}
			s.approve(view.Request{Plan: 1, Hash: p.Hash})
			s.wantFile("b.txt", "2\n")
		})
	}
}

// The plan names the refused edits of specialists too; a specialist that a limit has ended makes
// the turn unfinished.
func TestWhatSpecialistsLeaveUndone(t *testing.T) {
	partly := call("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: a.txt\n-one\n+1\n*** Update File: b.txt\n-nope\n+2\n*** End Patch\n"})
	wrong := reply{calls: []model.Call{edit("a.txt", "nothing like it", "1")}}
	s, c := specialistSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	c.plans(`["code","docs"]`, "figures")
	c.stages("code", "Code is done.", partly)
	c.part("docs").will(wrong, wrong, wrong)
	turn := s.specialists("figures")
	if len(turn.Unfinished) != 2 || !strings.Contains(turn.Unfinished[0], "the same call of edit_file 3 times") || !strings.HasPrefix(turn.Unfinished[1], "Left out: b.txt") {
		t.Errorf("left undone %q", turn.Unfinished)
	}
	p := s.state1(1)
	if len(p.Refused) != 1 || len(p.Unfinished) != 2 || strings.Count(p.Description, "same call of edit_file") != 1 || strings.Count(p.Description, "Left out: b.txt") != 1 {
		t.Errorf("refused %v, left undone %q: %s", p.Refused, p.Unfinished, p.Description)
	}
}

// If each edit is asked about as it is staged, the turn and its plan name the refused edits, too.
func TestWhatIsRefusedWhileAsked(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	s.model.will(reply{calls: []model.Call{call("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: a.txt\n-one\n+1\n*** Update File: b.txt\n-nope\n+2\n*** End Patch\n"})}}, reply{text: "Done."})
	turn := s.wait(s.asks("figures"))
	if p := s.state1(1); len(p.Refused) != 1 || len(turn.Unfinished) != 1 {
		t.Errorf("refused %v, left undone %q", p.Refused, turn.Unfinished)
	}
}

// Redline removes the comment that requested the change: that fixes nothing else in its file.
func TestRemovingTheCommentMendsNothing(t *testing.T) {
	s := newSession(t, map[string]string{"a.go": "package a\n\n// redline: figures\nvar x = \"one\"\n", "b.txt": "two\n"})
	s.open("a.go")
	s.model.will(reply{calls: []model.Call{call("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: a.go\n-nope\n+1\n*** Update File: b.txt\n-two\n+2\n*** End Patch\n"})}}, reply{text: "Done."})
	b, _ := s.ws.Buffer("a.go")
	r, ok := chat.FindRequest(b.Lines, 2)
	if !ok {
		t.Fatal("no comment")
	}
	s.say(conversation.Message{Text: r.Text, Client: "test", Path: "a.go", Comment: &r})
	if p := s.state1(1); len(p.Refused) != 1 || p.Refused[0].Path != "a.go" || len(p.Files) != 2 {
		t.Errorf("refused %v, files %v", p.Refused, p.Files)
	}
}

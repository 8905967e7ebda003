package turn_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/audit"
	"redline/agent/board"
	"redline/agent/chat"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
)

// classification is a model's classification with the given flags.
func classification(flags ...string) agenttest.Reply {
	var b strings.Builder
	b.WriteString("{")
	for _, name := range []string{"off_topic", "plan", "conversational", "proceed", "render", "develop", "operate"} {
		value := "false"
		for _, f := range flags {
			if f == name {
				value = "true"
			}
		}
		b.WriteString(`"` + name + `":` + value + ",")
	}
	return agenttest.Reply{Text: b.String() + `"reason":"because"}`}
}

// classifying starts a session whose messages a model classifies.
func classifying(t *testing.T, files map[string]string) *agenttest.Session {
	s := agenttest.New(t, files)
	s.With(func(o *agent.Options) { o.Turns.Classify, o.Model = config.ClassifyByModel, withSmall{s.Model} })
	return s
}

// withSmall is a script that answers small questions as the model "small".
type withSmall struct{ *agenttest.Script }

func (w withSmall) For(p model.Purpose) model.Provider {
	if p == model.Classifying {
		return small(w)
	}
	return w.Script
}

type small struct{ *agenttest.Script }

func (s small) Complete(ctx context.Context, r model.Request, on func(model.Event)) (model.Reply, error) {
	r.Model = "small"
	return s.Script.Complete(ctx, r, on)
}

// routed returns the last route event.
func routed(s *agenttest.Session) state.Event {
	s.T.Helper()
	all := s.Editor.Events(state.Routed)
	if len(all) == 0 {
		s.T.Fatal("there was no route event")
	}
	return all[len(all)-1]
}

func requests(s *agenttest.Session) int {
	return len(s.Model.Asked())
}

// planned makes plan 1 in a conversation and shows it to the client "test".
func planned(s *agenttest.Session) (talk string) {
	s.T.Helper()
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}, agenttest.Reply{Text: "One is a figure."})
	turn := s.Say(conversation.Message{Text: "use figures", Client: "test", Mode: "plan"})
	p := s.PlanNow(1)
	if turn.Plan != 1 {
		s.T.Errorf("the turn names plan %d: %+v", turn.Plan, turn)
	}
	s.Agent.Session.Shown(1, p.Revision, p.Hash, "test")
	return turn.Conversation
}

func TestAModelClassifies(t *testing.T) {
	s := classifying(t, map[string]string{"a.txt": "one\n"})
	s.Model.Will(classification("develop"), agenttest.Reply{Text: "Nothing to do."})
	turn := s.Say(conversation.Message{Text: "figures, please", Client: "test"})
	e := routed(s)
	if e.Route != "tools" || e.By != "model" || e.Reason != "because; it wants develop" || e.Intent == nil || *e.Intent != (state.Intent{Develop: true}) {
		t.Errorf("event: %+v", e)
	}
	first := s.Model.Asked()[0]
	if first.Model != "small" || first.Schema == nil || len(first.Tools) != 0 || len(first.Messages) != 2 {
		t.Errorf("the classifying request is %+v", first)
	}
	if turn.Usage != (state.Usage{Prompt: 20, Completion: 10}) {
		t.Errorf("the turn was charged %+v", turn.Usage)
	}
}

func TestTheRulesDecideWhereTheModelFails(t *testing.T) {
	for name, bad := range map[string]agenttest.Reply{
		"no JSON":  {Text: "I think that is a change."},
		"a lie":    {Text: `{"approve": true}`},
		"an error": {Err: context.DeadlineExceeded},
	} {
		s := classifying(t, nil)
		s.Model.Will(bad, agenttest.Reply{Text: "Hello."})
		if turn := s.Say(conversation.Message{Text: "what is this?", Client: "test"}); turn.State != "done" || *turn.Answer != "Hello." {
			t.Errorf("%s: turn %+v", name, turn)
		}
		if e := routed(s); e.Route != "tools" || e.By != "rules" || !strings.Contains(e.Reason, "the model could not classify it") {
			t.Errorf("%s: event %+v", name, e)
		}
	}
}

func TestWhatSaysItsWayIsNotClassified(t *testing.T) {
	for name, c := range map[string]struct {
		m      conversation.Message
		route  string
		by     string
		reason string
	}{
		"a mode":          {conversation.Message{Text: "go ahead", Mode: "ask"}, "ask", "mode", "the mode ask"},
		"a slash command": {conversation.Message{Text: "/ask tell me a joke"}, "ask", "slash", "/ask"},
		"a comment":       {conversation.Message{Text: "proceed", Path: "a.txt", Lines: &[2]int{0, 0}, Comment: &chat.Request{}}, "tools", "comment", "a comment asks for it"},
	} {
		s := classifying(t, map[string]string{"a.txt": "# redline: proceed\n"})
		c.m.Client = "test"
		s.Say(c.m)
		if e := routed(s); e.Route != c.route || e.By != c.by || e.Reason != c.reason || e.Intent != nil {
			t.Errorf("%s: %+v", name, e)
		}
		if n := requests(s); n != 1 {
			t.Errorf("%s: %d requests", name, n)
		}
	}
}

func TestOffTopicIsDeclinedOnceThereIsAPlan(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Will(agenttest.Reply{Text: "Ha."})
	s.Say(conversation.Message{Text: "tell me a joke", Client: "other"})
	if e := routed(s); e.Route != "tools" || requests(s) != 1 {
		t.Errorf("the first message: %+v after %d requests", e, requests(s))
	}
	talk := planned(s)
	asked := requests(s)
	turn := s.Say(conversation.Message{Text: "tell me a joke", Conversation: talk, Client: "test"})
	if e := routed(s); e.Route != "off_topic" || e.By != "rules" || requests(s) != asked {
		t.Errorf("%+v after %d requests more", e, requests(s)-asked)
	}
	if turn.State != "done" || turn.Plan != 0 || !strings.Contains(*turn.Answer, "/ask") {
		t.Errorf("turn: %+v", turn)
	}
}

func TestThePlanIsShownAgain(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	talk := planned(s)
	asked := requests(s)
	turn := s.Say(conversation.Message{Text: "Show me the plan again.", Conversation: talk, Client: "test"})
	if e := routed(s); e.Route != "render" || requests(s) != asked {
		t.Errorf("%+v after %d requests more", e, requests(s)-asked)
	}
	if *turn.Answer != "One is a figure." || turn.Plan != 1 || s.Agent.Conversations.PlanOf(turn.Turn) != 1 {
		t.Errorf("turn: %+v", turn)
	}
	if p := s.PlanNow(1); p.State != "awaiting_approval" || p.Revision != 1 {
		t.Errorf("plan: %+v", p)
	}
}

func TestAPhraseApprovesTheOnePlanThatWaits(t *testing.T) {
	s := classifying(t, map[string]string{"a.txt": "one\n"})
	talk := planned(s)
	asked := requests(s)
	turn := s.Say(conversation.Message{Text: "Go ahead.", Conversation: talk, Client: "test"})
	if e := routed(s); e.Route != "proceed" || e.By != "rules" || requests(s) != asked {
		t.Errorf("%+v after %d requests more", e, requests(s)-asked)
	}
	if turn.State != "done" || s.PlanNow(1).State != "completed" {
		t.Errorf("turn %+v, plan %s", turn, s.PlanNow(1).State)
	}
	s.WantFile("a.txt", "1\n")
	approved := 0
	for _, r := range auditLog(s) {
		if r.Event == audit.Approved {
			approved++
			if r.Who != "user" || r.Reason != `said "Go ahead."` {
				t.Errorf("record: %+v", r)
			}
		}
	}
	if approved != 1 {
		t.Errorf("%d approvals are on record", approved)
	}
}

// linesOf returns the lines of a file.
func linesOf(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// A message that only says to continue is answered without the model: with the plan and how to
// approve it. A near miss goes to the model. Neither approves.
func TestSayingToGoOnIsAnsweredForNothing(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	talk := planned(s)
	for _, text := range linesOf(t, "../chat/testdata/goes-on.txt") {
		if chat.Approves(text) {
			t.Errorf("%q approves: it belongs to another test", text)
			continue
		}
		before := requests(s)
		turn := s.Say(conversation.Message{Text: text, Conversation: talk, Client: "test"})
		if e := routed(s); e.Route != "proceed" || requests(s) != before {
			t.Errorf("%q: %s, %d requests", text, e.Route, requests(s)-before)
		}
		if turn.Answer == nil || !strings.Contains(*turn.Answer, "Plan 1 waits for you: use figures. To approve it, send /approve 1") {
			t.Errorf("%q: turn %+v", text, turn)
		}
	}
	for _, text := range linesOf(t, "../chat/testdata/near-misses.txt") {
		before := requests(s)
		s.Model.Will(agenttest.Reply{Text: "Done."})
		s.Say(conversation.Message{Text: text, Conversation: talk, Client: "test"})
		if e := routed(s); e.Route != "tools" || requests(s) == before {
			t.Errorf("%q: %s, %d requests", text, e.Route, requests(s)-before)
		}
	}
	if p := s.PlanNow(1); p.State != "awaiting_approval" {
		t.Errorf("plan 1 is %s", p.State)
	}
	s.WantFile("a.txt", "one\n")
	for _, r := range auditLog(s) {
		if r.Event == audit.Approved {
			t.Errorf("an approval is on record: %+v", r)
		}
	}
}

// If the model has asked a question, "yes" is the answer to it; a message that names the plan is
// not.
func TestYesRepliesToWhatWasAsked(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("a.txt", "one", "1")}}, agenttest.Reply{Text: "One is a figure. Should I add a test as well?"})
	talk := s.Say(conversation.Message{Text: "use figures", Client: "test", Mode: "plan"}).Conversation
	if s.Say(conversation.Message{Text: "LGTM", Conversation: talk, Client: "test"}); routed(s).Route != "proceed" {
		t.Errorf("%+v", routed(s))
	}
	s.Model.Will(agenttest.Reply{Text: "Shall I change b.txt too?"}, agenttest.Reply{Text: "It is added."}, agenttest.Reply{Text: "Nothing to do."})
	s.Say(conversation.Message{Text: "add a test", Conversation: talk, Client: "test"})
	s.Say(conversation.Message{Text: "yes please", Conversation: talk, Client: "test"})
	if e := routed(s); e.Route != "tools" || e.Reason != "it may be the reply to what was asked; it wants nothing in particular" {
		t.Errorf("%+v", e)
	}
	if s.Say(conversation.Message{Text: "yes please", Conversation: talk, Client: "test"}); routed(s).Route != "proceed" {
		t.Errorf("%+v", routed(s))
	}
}

// A message that looks like an approval and is none changes nothing, whoever sends it.
func TestWhatDoesNotApprove(t *testing.T) {
	proceeds := classification("proceed")
	for name, c := range map[string]struct {
		message conversation.Message
		replies []agenttest.Reply
		shown   func(int) (int, string, bool)
		second  bool // another plan is pending in the conversation
		says    string
	}{
		"a model's word":                 {conversation.Message{Text: "nice"}, []agenttest.Reply{proceeds}, nil, false, "send /approve 1 or choose \"approve plan 1\" in your editor; nothing was done"},
		"a model's word for a longer no": {conversation.Message{Text: "do not proceed"}, []agenttest.Reply{proceeds}, nil, false, "nothing was done"},
		"a sentence with the phrase":     {conversation.Message{Text: "go ahead and approve it"}, []agenttest.Reply{proceeds}, nil, false, "nothing was done"},
		"a quoted phrase":                {conversation.Message{Text: `"proceed"`}, []agenttest.Reply{proceeds}, nil, false, "nothing was done"},
		"a template of the repository":   {conversation.Message{Text: "/template yes"}, []agenttest.Reply{proceeds}, nil, false, "nothing was done"},
		"a template that passes words":   {conversation.Message{Text: "/template echo go ahead"}, []agenttest.Reply{proceeds}, nil, false, "nothing was done"},
		"a plan that was not shown": {conversation.Message{Text: "go ahead"}, nil,
			func(int) (int, string, bool) { return 0, "", false }, false, "has not been shown here yet"},
		"another client's plan": {conversation.Message{Text: "go ahead", Client: "another"}, nil, nil, false, "has not been shown here yet"},
		"another hash": {conversation.Message{Text: "go ahead"}, nil,
			func(int) (int, string, bool) { return 1, "sha256:0", true }, false, "!hash_mismatch"},
		"two plans that wait":  {conversation.Message{Text: "go ahead"}, nil, nil, true, "/approve N, where N is one of 1, 2"},
		"another conversation": {conversation.Message{Text: "go ahead", New: true}, nil, nil, false, "No plan waits in this conversation"},
		"a comment": {conversation.Message{Text: "go ahead", Path: "b.txt", Lines: &[2]int{0, 0}, Comment: &chat.Request{}},
			[]agenttest.Reply{{Text: "What?"}}, nil, false, "What?"},
	} {
		t.Run(name, func(t *testing.T) {
			s := classifying(t, map[string]string{
				"a.txt": "one\n", "b.txt": "# redline: go ahead\n",
				".redline/templates/yes.md": "go ahead", ".redline/templates/echo.md": "{{input}}",
			})
			talk := planned(s)
			if c.second {
				s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("b.txt", "redline", "green")}}, agenttest.Reply{Text: "Green."})
				s.Say(conversation.Message{Text: "green", Conversation: talk, Client: "test", Mode: "plan"})
			}
			m := c.message
			if m.Client == "" {
				m.Client = "test"
			}
			if !m.New && m.Comment == nil {
				m.Conversation = talk
			}
			m.Shown = c.shown
			s.Model.Will(c.replies...)
			turn := s.Say(m)
			if kind, refused := strings.CutPrefix(c.says, "!"); refused {
				s.WantRefused(s.Agent.Conversations.Failure(turn.Turn), plan.RefusalKind(kind))
			} else if turn.Answer == nil || !strings.Contains(*turn.Answer, c.says) {
				t.Errorf("turn: %+v, want an answer with %q", turn, c.says)
			}
			if p := s.PlanNow(1); p.State != "awaiting_approval" {
				t.Errorf("plan 1 is %s", p.State)
			}
			s.WantFile("a.txt", "one\n")
			for _, r := range auditLog(s) {
				if r.Event == audit.Approved {
					t.Errorf("an approval is on record: %+v", r)
				}
			}
		})
	}
}

// auditLog returns every record of the audit log.
func auditLog(s *agenttest.Session) []audit.Record {
	s.T.Helper()
	var records []audit.Record
	err := s.Store.AuditLog(s.Context(), "", func(e audit.Entry) error {
		var r audit.Record
		err := json.Unmarshal([]byte(e.Record), &r)
		records = append(records, r)
		return err
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return records
}

// If a model takes too long to classify, the turn continues without it.
func TestTheRulesDecideWhereTheModelIsSlow(t *testing.T) {
	s := classifying(t, nil)
	s.Agent.Turns.ClassifyWithin(20 * time.Millisecond)
	s.Model.Will(agenttest.Reply{Wait: make(chan struct{})}, agenttest.Reply{Text: "Hello."})
	if turn := s.Say(conversation.Message{Text: "what is this?", Client: "test"}); turn.State != "done" || *turn.Answer != "Hello." {
		t.Errorf("turn: %+v", turn)
	}
	if e := routed(s); e.By != "rules" {
		t.Errorf("event: %+v", e)
	}
}

// A turn can be cancelled while it is classified: it has no effect.
func TestClassifyingIsCancelled(t *testing.T) {
	s := classifying(t, nil)
	begun := make(chan struct{})
	s.Model.Will(agenttest.Reply{Wait: make(chan struct{}), Begun: begun}, agenttest.Reply{Text: "Hello."})
	id, _, err := s.Agent.Turns.Send(conversation.Message{Text: "what is this?", Client: "test"})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	s.Agent.Cancel(id)
	if turn := s.Wait(id); turn.State != "cancelled" {
		t.Errorf("turn: %+v", turn)
	}
	if n := requests(s); n != 1 {
		t.Errorf("%d requests", n)
	}
	if all := s.Editor.Events(state.Routed); len(all) > 0 {
		t.Errorf("it was routed: %+v", all)
	}
}

// The built-in model never classifies, whatever the settings say.
func TestTheBuiltInModelClassifiesNothing(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.With(func(o *agent.Options) { o.Turns.Classify, o.Model = config.ClassifyByModel, model.New(model.Config{}) })
	s.Say(conversation.Message{Text: `replace "one" with "1"`, Client: "test"})
	if e := routed(s); e.Route != "tools" || e.By != "rules" || e.Reason != "it begins with a word for a change; it wants develop" {
		t.Errorf("event: %+v", e)
	}
	if p := s.PlanNow(1); len(p.Files) != 1 {
		t.Errorf("plan: %+v", p)
	}
}

// The built-in model answers text that it does not understand, as always: no message is declined
// for it, and its words become a plan only on request.
func TestTheBuiltInModelAnswersForItself(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.With(func(o *agent.Options) { o.Model = model.New(model.Config{}) })
	s.Say(conversation.Message{Text: `replace "one" with "1"`, Client: "test"})
	for _, text := range []string{"tell me a joke", "make a plan for tests"} {
		turn := s.Say(conversation.Message{Text: text, Client: "test"})
		if turn.Answer == nil || !strings.Contains(*turn.Answer, "rename OLD to NEW") || s.Agent.Conversations.PlanOf(turn.Turn) != 0 {
			t.Errorf("%q: %+v", text, turn)
		}
		if e := routed(s); e.Route != "tools" {
			t.Errorf("%q: %+v", text, e)
		}
	}
}

// A provider that cannot be reached is asked once, not for the classification and again for the
// turn; what needs no model still works.
func TestAProviderOutOfReachIsAskedOnce(t *testing.T) {
	s := classifying(t, map[string]string{"a.txt": "one\n"})
	talk := planned(s)
	asked := requests(s)
	down := agenttest.Reply{Err: &model.Error{Kind: model.KindUnreachable, Host: "nowhere"}}
	s.Model.Will(down, down)
	if turn := s.Say(conversation.Message{Text: "figures, please", Conversation: talk, Client: "test"}); turn.State != "failed" {
		t.Errorf("turn: %+v", turn)
	}
	if n := requests(s) - asked; n != 1 {
		t.Errorf("%d requests", n)
	}
	if turn := s.Say(conversation.Message{Text: "show me the plan", Conversation: talk, Client: "test"}); turn.State != "done" || routed(s).Route != "render" {
		t.Errorf("turn: %+v", turn)
	}
}

// countRefreshes counts from now on how often the plans are brought up to date from the store, which
// begins with what could not be stored before.
func countRefreshes(s *agenttest.Session) func() int64 {
	var n atomic.Int64
	s.Agent.Backlog.Add(board.Unstored{Store: func(context.Context) error {
		n.Add(1)
		return store.ErrFull
	}}, "A test counts.", store.ErrFull)
	return n.Load
}

// A message brings the plans up to date once, when it is sent: the rest of its turn is handed what was
// found then.
func TestAMessageRefreshesOnce(t *testing.T) {
	for name, m := range map[string]conversation.Message{
		"a change":         {Text: "Replace two with three in a.txt"},
		"a question":       {Text: "/ask what is in a.txt?"},
		"in words":         {Text: "/text replace two with three"},
		"the plan, again":  {Text: "show me the plan"},
		"which plan waits": {Text: "go on"},
	} {
		t.Run(name, func(t *testing.T) {
			s := agenttest.New(t, map[string]string{"a.txt": "one\ntwo\n"})
			s.Model.Stages(agenttest.Edit("a.txt", "one", "eins"))
			s.Model.Will(agenttest.Reply{Text: "It has two lines."})
			s.Say(conversation.Message{Text: "Replace one with eins in a.txt", Client: "test"})
			n := countRefreshes(s)
			m.Client = "test"
			s.Say(m)
			if n() != 1 {
				t.Errorf("%d refreshes, want 1", n())
			}
			turn, _, err := s.Agent.Turns.Rework(t.Context(), 1, "with four instead", "test")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Agent.Conversations.Wait(t.Context(), turn); err != nil {
				t.Fatal(err)
			}
			if n() != 2 {
				t.Errorf("%d refreshes after feedback, want 2", n())
			}
		})
	}
}

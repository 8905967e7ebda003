package agent_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/audit"
	"redline/agent/chat"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
)

// classification is a model's classification with the given flags.
func classification(flags ...string) reply {
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
	return reply{text: b.String() + `"reason":"because"}`}
}

// classifying starts a session whose messages a model classifies.
func classifying(t *testing.T, files map[string]string) *session {
	s := newSession(t, files)
	s.withOptions(func(o *agent.Options) { o.Turns.Classify, o.Model = config.ClassifyByModel, withSmall{s.model} })
	return s
}

// withSmall is a script that answers small questions as the model "small".
type withSmall struct{ *script }

func (w withSmall) For(p model.Purpose) model.Provider {
	if p == model.Classifying {
		return small(w)
	}
	return w.script
}

type small struct{ *script }

func (s small) Complete(ctx context.Context, r model.Request, on func(model.Event)) (model.Reply, error) {
	r.Model = "small"
	return s.script.Complete(ctx, r, on)
}

// withOptions replaces the agent by one with other options.
func (s *session) withOptions(change func(*agent.Options)) {
	s.t.Helper()
	s.agent.Close()
	o := agent.Options{Workspace: s.ws, Store: s.store, Model: s.model, Now: s.now}
	change(&o)
	s.agent = agent.New(o)
	s.agent.Session.Attach(s.ed)
	s.t.Cleanup(s.agent.Close)
}

// routed returns the last route event.
func (s *session) routed() state.Event {
	s.t.Helper()
	s.ed.mu.Lock()
	defer s.ed.mu.Unlock()
	for i := len(s.ed.events) - 1; i >= 0; i-- {
		if s.ed.events[i].Kind == state.Routed {
			return s.ed.events[i]
		}
	}
	s.t.Fatal("there was no route event")
	return state.Event{}
}

func (s *session) requests() int {
	s.model.mu.Lock()
	defer s.model.mu.Unlock()
	return len(s.model.asked)
}

// planned makes plan 1 in a conversation and shows it to the client "test".
func (s *session) planned() (talk string) {
	s.t.Helper()
	s.model.will(reply{calls: []model.Call{edit("a.txt", "one", "1")}}, reply{text: "One is a figure."})
	turn := s.say(conversation.Message{Text: "use figures", Client: "test", Mode: "plan"})
	p := s.state1(1)
	if turn.Plan != 1 {
		s.t.Errorf("the turn names plan %d: %+v", turn.Plan, turn)
	}
	s.agent.Session.Shown(1, p.Revision, p.Hash, "test")
	return turn.Conversation
}

func TestAModelClassifies(t *testing.T) {
	s := classifying(t, map[string]string{"a.txt": "one\n"})
	s.model.will(classification("develop"), reply{text: "Nothing to do."})
	turn := s.say(conversation.Message{Text: "figures, please", Client: "test"})
	e := s.routed()
	if e.Route != "tools" || e.By != "model" || e.Reason != "because; it wants develop" || e.Intent == nil || *e.Intent != (state.Intent{Develop: true}) {
		t.Errorf("event: %+v", e)
	}
	first := s.model.asked[0]
	if first.Model != "small" || first.Schema == nil || len(first.Tools) != 0 || len(first.Messages) != 2 {
		t.Errorf("the classifying request is %+v", first)
	}
	if turn.Usage != (state.Usage{Prompt: 20, Completion: 10}) {
		t.Errorf("the turn was charged %+v", turn.Usage)
	}
}

func TestTheRulesDecideWhereTheModelFails(t *testing.T) {
	for name, bad := range map[string]reply{
		"no JSON":  {text: "I think that is a change."},
		"a lie":    {text: `{"approve": true}`},
		"an error": {err: context.DeadlineExceeded},
	} {
		s := classifying(t, nil)
		s.model.will(bad, reply{text: "Hello."})
		if turn := s.say(conversation.Message{Text: "what is this?", Client: "test"}); turn.State != "done" || *turn.Answer != "Hello." {
			t.Errorf("%s: turn %+v", name, turn)
		}
		if e := s.routed(); e.Route != "tools" || e.By != "rules" || !strings.Contains(e.Reason, "the model could not classify it") {
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
		s.say(c.m)
		if e := s.routed(); e.Route != c.route || e.By != c.by || e.Reason != c.reason || e.Intent != nil {
			t.Errorf("%s: %+v", name, e)
		}
		if n := s.requests(); n != 1 {
			t.Errorf("%s: %d requests", name, n)
		}
	}
}

func TestOffTopicIsDeclinedOnceThereIsAPlan(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.will(reply{text: "Ha."})
	s.say(conversation.Message{Text: "tell me a joke", Client: "other"})
	if e := s.routed(); e.Route != "tools" || s.requests() != 1 {
		t.Errorf("the first message: %+v after %d requests", e, s.requests())
	}
	talk := s.planned()
	asked := s.requests()
	turn := s.say(conversation.Message{Text: "tell me a joke", Conversation: talk, Client: "test"})
	if e := s.routed(); e.Route != "off_topic" || e.By != "rules" || s.requests() != asked {
		t.Errorf("%+v after %d requests more", e, s.requests()-asked)
	}
	if turn.State != "done" || turn.Plan != 0 || !strings.Contains(*turn.Answer, "/ask") {
		t.Errorf("turn: %+v", turn)
	}
}

func TestThePlanIsShownAgain(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	talk := s.planned()
	asked := s.requests()
	turn := s.say(conversation.Message{Text: "Show me the plan again.", Conversation: talk, Client: "test"})
	if e := s.routed(); e.Route != "render" || s.requests() != asked {
		t.Errorf("%+v after %d requests more", e, s.requests()-asked)
	}
	if *turn.Answer != "One is a figure." || turn.Plan != 1 || s.agent.Conversations.PlanOf(turn.Turn) != 1 {
		t.Errorf("turn: %+v", turn)
	}
	if p := s.state1(1); p.State != "awaiting_approval" || p.Revision != 1 {
		t.Errorf("plan: %+v", p)
	}
}

func TestAPhraseApprovesTheOnePlanThatWaits(t *testing.T) {
	s := classifying(t, map[string]string{"a.txt": "one\n"})
	talk := s.planned()
	asked := s.requests()
	turn := s.say(conversation.Message{Text: "Go ahead.", Conversation: talk, Client: "test"})
	if e := s.routed(); e.Route != "proceed" || e.By != "rules" || s.requests() != asked {
		t.Errorf("%+v after %d requests more", e, s.requests()-asked)
	}
	if turn.State != "done" || s.state1(1).State != "completed" {
		t.Errorf("turn %+v, plan %s", turn, s.state1(1).State)
	}
	s.wantFile("a.txt", "1\n")
	approved := 0
	for _, r := range s.auditLog() {
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
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	talk := s.planned()
	for _, text := range linesOf(t, "chat/testdata/goes-on.txt") {
		if chat.Approves(text) {
			t.Errorf("%q approves: it belongs to another test", text)
			continue
		}
		before := s.requests()
		turn := s.say(conversation.Message{Text: text, Conversation: talk, Client: "test"})
		if e := s.routed(); e.Route != "proceed" || s.requests() != before {
			t.Errorf("%q: %s, %d requests", text, e.Route, s.requests()-before)
		}
		if turn.Answer == nil || !strings.Contains(*turn.Answer, "Plan 1 waits for you: use figures. To approve it, send /approve 1") {
			t.Errorf("%q: turn %+v", text, turn)
		}
	}
	for _, text := range linesOf(t, "chat/testdata/near-misses.txt") {
		before := s.requests()
		s.model.will(reply{text: "Done."})
		s.say(conversation.Message{Text: text, Conversation: talk, Client: "test"})
		if e := s.routed(); e.Route != "tools" || s.requests() == before {
			t.Errorf("%q: %s, %d requests", text, e.Route, s.requests()-before)
		}
	}
	if p := s.state1(1); p.State != "awaiting_approval" {
		t.Errorf("plan 1 is %s", p.State)
	}
	s.wantFile("a.txt", "one\n")
	for _, r := range s.auditLog() {
		if r.Event == audit.Approved {
			t.Errorf("an approval is on record: %+v", r)
		}
	}
}

// If the model has asked a question, "yes" is the answer to it; a message that names the plan is
// not.
func TestYesRepliesToWhatWasAsked(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.model.will(reply{calls: []model.Call{edit("a.txt", "one", "1")}}, reply{text: "One is a figure. Should I add a test as well?"})
	talk := s.say(conversation.Message{Text: "use figures", Client: "test", Mode: "plan"}).Conversation
	if s.say(conversation.Message{Text: "LGTM", Conversation: talk, Client: "test"}); s.routed().Route != "proceed" {
		t.Errorf("%+v", s.routed())
	}
	s.model.will(reply{text: "Shall I change b.txt too?"}, reply{text: "It is added."}, reply{text: "Nothing to do."})
	s.say(conversation.Message{Text: "add a test", Conversation: talk, Client: "test"})
	s.say(conversation.Message{Text: "yes please", Conversation: talk, Client: "test"})
	if e := s.routed(); e.Route != "tools" || e.Reason != "it may be the reply to what was asked; it wants nothing in particular" {
		t.Errorf("%+v", e)
	}
	if s.say(conversation.Message{Text: "yes please", Conversation: talk, Client: "test"}); s.routed().Route != "proceed" {
		t.Errorf("%+v", s.routed())
	}
}

// A message that looks like an approval and is none changes nothing, whoever sends it.
func TestWhatDoesNotApprove(t *testing.T) {
	proceeds := classification("proceed")
	for name, c := range map[string]struct {
		message conversation.Message
		replies []reply
		shown   func(int) (int, string, bool)
		second  bool // another plan is pending in the conversation
		says    string
	}{
		"a model's word":                 {conversation.Message{Text: "nice"}, []reply{proceeds}, nil, false, "send /approve 1 or choose \"approve plan 1\" in your editor; nothing was done"},
		"a model's word for a longer no": {conversation.Message{Text: "do not proceed"}, []reply{proceeds}, nil, false, "nothing was done"},
		"a sentence with the phrase":     {conversation.Message{Text: "go ahead and approve it"}, []reply{proceeds}, nil, false, "nothing was done"},
		"a quoted phrase":                {conversation.Message{Text: `"proceed"`}, []reply{proceeds}, nil, false, "nothing was done"},
		"a template of the repository":   {conversation.Message{Text: "/template yes"}, []reply{proceeds}, nil, false, "nothing was done"},
		"a template that passes words":   {conversation.Message{Text: "/template echo go ahead"}, []reply{proceeds}, nil, false, "nothing was done"},
		"a plan that was not shown": {conversation.Message{Text: "go ahead"}, nil,
			func(int) (int, string, bool) { return 0, "", false }, false, "has not been shown here yet"},
		"another client's plan": {conversation.Message{Text: "go ahead", Client: "another"}, nil, nil, false, "has not been shown here yet"},
		"another hash": {conversation.Message{Text: "go ahead"}, nil,
			func(int) (int, string, bool) { return 1, "sha256:0", true }, false, "!hash_mismatch"},
		"two plans that wait":  {conversation.Message{Text: "go ahead"}, nil, nil, true, "/approve N, where N is one of 1, 2"},
		"another conversation": {conversation.Message{Text: "go ahead", New: true}, nil, nil, false, "No plan waits in this conversation"},
		"a comment": {conversation.Message{Text: "go ahead", Path: "b.txt", Lines: &[2]int{0, 0}, Comment: &chat.Request{}},
			[]reply{{text: "What?"}}, nil, false, "What?"},
	} {
		t.Run(name, func(t *testing.T) {
			s := classifying(t, map[string]string{
				"a.txt": "one\n", "b.txt": "# redline: go ahead\n",
				".redline/templates/yes.md": "go ahead", ".redline/templates/echo.md": "{{input}}",
			})
			talk := s.planned()
			if c.second {
				s.model.will(reply{calls: []model.Call{edit("b.txt", "redline", "green")}}, reply{text: "Green."})
				s.say(conversation.Message{Text: "green", Conversation: talk, Client: "test", Mode: "plan"})
			}
			m := c.message
			if m.Client == "" {
				m.Client = "test"
			}
			if !m.New && m.Comment == nil {
				m.Conversation = talk
			}
			m.Shown = c.shown
			s.model.will(c.replies...)
			turn := s.say(m)
			if kind, refused := strings.CutPrefix(c.says, "!"); refused {
				s.wantRefused(s.agent.Conversations.Failure(turn.Turn), plan.RefusalKind(kind))
			} else if turn.Answer == nil || !strings.Contains(*turn.Answer, c.says) {
				t.Errorf("turn: %+v, want an answer with %q", turn, c.says)
			}
			if p := s.state1(1); p.State != "awaiting_approval" {
				t.Errorf("plan 1 is %s", p.State)
			}
			s.wantFile("a.txt", "one\n")
			for _, r := range s.auditLog() {
				if r.Event == audit.Approved {
					t.Errorf("an approval is on record: %+v", r)
				}
			}
		})
	}
}

// auditLog returns every record of the audit log.
func (s *session) auditLog() []audit.Record {
	s.t.Helper()
	var records []audit.Record
	err := s.store.AuditLog(s.ctx(), "", func(e audit.Entry) error {
		var r audit.Record
		err := json.Unmarshal([]byte(e.Record), &r)
		records = append(records, r)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return records
}

// If a model takes too long to classify, the turn continues without it.
func TestTheRulesDecideWhereTheModelIsSlow(t *testing.T) {
	s := classifying(t, nil)
	s.agent.ClassifyWithin(20 * time.Millisecond)
	s.model.will(reply{wait: make(chan struct{})}, reply{text: "Hello."})
	if turn := s.say(conversation.Message{Text: "what is this?", Client: "test"}); turn.State != "done" || *turn.Answer != "Hello." {
		t.Errorf("turn: %+v", turn)
	}
	if e := s.routed(); e.By != "rules" {
		t.Errorf("event: %+v", e)
	}
}

// A turn can be cancelled while it is classified: it has no effect.
func TestClassifyingIsCancelled(t *testing.T) {
	s := classifying(t, nil)
	begun := make(chan struct{})
	s.model.will(reply{wait: make(chan struct{}), begun: begun}, reply{text: "Hello."})
	id, _, err := s.agent.Turns.Send(conversation.Message{Text: "what is this?", Client: "test"})
	if err != nil {
		t.Fatal(err)
	}
	<-begun
	s.agent.Cancel(id)
	if turn := s.wait(id); turn.State != "cancelled" {
		t.Errorf("turn: %+v", turn)
	}
	if n := s.requests(); n != 1 {
		t.Errorf("%d requests", n)
	}
	for _, e := range s.ed.events {
		if e.Kind == state.Routed {
			t.Errorf("it was routed: %+v", e)
		}
	}
}

// The built-in model never classifies, whatever the settings say.
func TestTheBuiltInModelClassifiesNothing(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.withOptions(func(o *agent.Options) { o.Turns.Classify, o.Model = config.ClassifyByModel, model.New(model.Config{}) })
	s.say(conversation.Message{Text: `replace "one" with "1"`, Client: "test"})
	if e := s.routed(); e.Route != "tools" || e.By != "rules" || e.Reason != "it begins with a word for a change; it wants develop" {
		t.Errorf("event: %+v", e)
	}
	if p := s.state1(1); len(p.Files) != 1 {
		t.Errorf("plan: %+v", p)
	}
}

// The built-in model answers text that it does not understand, as always: no message is declined
// for it, and its words become a plan only on request.
func TestTheBuiltInModelAnswersForItself(t *testing.T) {
	s := newSession(t, map[string]string{"a.txt": "one\n"})
	s.withOptions(func(o *agent.Options) { o.Model = model.New(model.Config{}) })
	s.say(conversation.Message{Text: `replace "one" with "1"`, Client: "test"})
	for _, text := range []string{"tell me a joke", "make a plan for tests"} {
		turn := s.say(conversation.Message{Text: text, Client: "test"})
		if turn.Answer == nil || !strings.Contains(*turn.Answer, "rename OLD to NEW") || s.agent.Conversations.PlanOf(turn.Turn) != 0 {
			t.Errorf("%q: %+v", text, turn)
		}
		if e := s.routed(); e.Route != "tools" {
			t.Errorf("%q: %+v", text, e)
		}
	}
}

// A provider that cannot be reached is asked once, not for the classification and again for the
// turn; what needs no model still works.
func TestAProviderOutOfReachIsAskedOnce(t *testing.T) {
	s := classifying(t, map[string]string{"a.txt": "one\n"})
	talk := s.planned()
	asked := s.requests()
	down := reply{err: &model.Error{Kind: model.KindUnreachable, Host: "nowhere"}}
	s.model.will(down, down)
	if turn := s.say(conversation.Message{Text: "figures, please", Conversation: talk, Client: "test"}); turn.State != "failed" {
		t.Errorf("turn: %+v", turn)
	}
	if n := s.requests() - asked; n != 1 {
		t.Errorf("%d requests", n)
	}
	if turn := s.say(conversation.Message{Text: "show me the plan", Conversation: talk, Client: "test"}); turn.State != "done" || s.routed().Route != "render" {
		t.Errorf("turn: %+v", turn)
	}
}

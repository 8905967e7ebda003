package decide_test

import (
	"context"
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
)

// only forbids all ways to approve but one.
func only(allowed view.Way) view.Forbidden {
	f := view.Forbidden{}
	for _, w := range view.Ways() {
		if w != allowed {
			f[w] = "The policy in P"
		}
	}
	return f
}

// Each way to approve works only where that way is allowed.
func TestWaysToApprove(t *testing.T) {
	type approves func(s *agenttest.Session, hash string) (refused string)
	failure := func(s *agenttest.Session, m conversation.Message) string {
		m.Client = "test"
		if turn := s.Say(m); turn.Error != nil {
			return *turn.Error
		}
		return ""
	}
	direct := func(way view.Way) approves {
		return func(s *agenttest.Session, hash string) string {
			_, err := s.Agent.Approve(s.Context(), view.Request{Plan: 1, Hash: hash, Way: way})
			if err != nil {
				s.WantRefused(err, plan.NotAllowed)
				return err.Error()
			}
			return ""
		}
	}
	for name, c := range map[string]struct {
		way view.Way
		try approves
	}{
		"a choice":       {view.ByChoice, direct(view.ByChoice)},
		"a command line": {view.ByCommandLine, direct(view.ByCommandLine)},
		"a rule":         {view.ByRule, direct(view.ByRule)},
		"an unknown way": {"unknown", direct("")},
		"a review": {view.ByChoice, func(s *agenttest.Session, hash string) string {
			if _, err := s.Agent.Review(s.Context(), view.Request{Plan: 1, Hash: hash, Way: view.ByChoice}); err != nil {
				return err.Error()
			}
			return ""
		}},
		"words": {view.ByWords, func(s *agenttest.Session, hash string) string {
			return failure(s, conversation.Message{Text: "go ahead"})
		}},
		"/approve in an editor": {view.ByChoice, func(s *agenttest.Session, hash string) string {
			return failure(s, conversation.Message{Text: "/approve 1", Shown: func(int) (int, string, bool) { return 1, hash, true }})
		}},
		"/approve on a command line": {view.ByCommandLine, func(s *agenttest.Session, hash string) string {
			return failure(s, conversation.Message{Text: "/approve 1"})
		}},
	} {
		for _, allowed := range view.Ways() {
			t.Run(name+" where "+string(allowed)+" is allowed", func(t *testing.T) {
				s := agenttest.New(t, agenttest.Numbers)
				s.With(func(o *agent.Options) { o.Forbidden = only(allowed) })
				s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
				p := s.Plan("use figures")
				s.Agent.Session.Shown(1, p.Revision, p.Hash, "test")
				refused := c.try(s, p.Hash)
				if (refused == "") != (allowed == c.way) {
					t.Fatalf("refused because %q", refused)
				}
				if refused != "" {
					if !strings.Contains(refused, "does not allow") && c.way != "unknown" {
						t.Errorf("refused because %q", refused)
					}
					s.WantFile("a.txt", "one\n")
					if p := s.PlanNow(1); p.State != "awaiting_approval" {
						t.Errorf("the plan is %s", p.State)
					}
				}
			})
		}
	}
}

// A plan in words is approved in the same ways, and where rules must not approve, no rule approves
// the plan that is worked out from it.
func TestWaysToApproveAPlanInWords(t *testing.T) {
	for _, allowed := range view.Ways() {
		t.Run(string(allowed), func(t *testing.T) {
			s := agenttest.New(t, agenttest.Numbers)
			s.With(func(o *agent.Options) { o.Forbidden = only(allowed); o.Turns.SecondLook = config.SecondLookNever })
			p := s.PlanInWords()
			s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
			if turn := s.Say(conversation.Message{Text: "go ahead", Client: "test"}); (turn.Error == nil) != (allowed == view.ByWords) {
				t.Errorf("words: %+v", turn)
			}
			if allowed == view.ByWords {
				if now := s.PlanNow(1); now.State != "awaiting_approval" || now.Revision != 2 {
					t.Errorf("revision %d is %s", now.Revision, now.State)
				}
			} else if _, err := s.Agent.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash, Way: view.ByChoice}); (err == nil) != (allowed == view.ByChoice) {
				t.Errorf("a choice: %v", err)
			}
			s.Agent.Close()
			s.WantFile("a.txt", "one\n")
		})
	}
}

// An answer to the question about an edit counts as the way "choice".
func TestAnswersWhereNothingCanBeChosen(t *testing.T) {
	for allowed, want := range map[view.Way]string{view.ByChoice: "1\n", view.ByWords: "one\n"} {
		s := agenttest.New(t, agenttest.Numbers)
		s.With(func(o *agent.Options) { o.Forbidden = only(allowed) })
		s.Editor.OnAsk = func(context.Context, state.Question) (state.EditorAnswer, error) {
			return state.EditorAnswer{Choice: "Approve"}, nil
		}
		s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
		s.Wait(s.AskEach("use figures"))
		s.Until("the answer counts", func() bool {
			for _, e := range s.Editor.Events() {
				if strings.Contains(e.Text, "approved") || strings.Contains(e.Error, "The policy in P does not allow approval by an action") {
					return true
				}
			}
			return false
		})
		s.WantFile("a.txt", want)
	}
}

// If the policy requires a question about each edit, no conversation changes that.
func TestEachEditMustBeAskedAbout(t *testing.T) {
	s := agenttest.New(t, agenttest.Numbers)
	s.With(func(o *agent.Options) { o.Turns.Decide, o.Turns.MustAsk = config.DecideAsk, true })
	asked := make(chan string, 1)
	s.Editor.OnAsk = func(_ context.Context, q state.Question) (state.EditorAnswer, error) {
		asked <- q.Text
		return state.EditorAnswer{}, nil
	}
	turn := s.Say(conversation.Message{Text: "/decide plan", Client: "test"})
	if turn.Answer == nil || !strings.Contains(*turn.Answer, "you cannot turn that off") {
		t.Errorf("%+v", turn)
	}
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	s.Say(conversation.Message{Text: "use figures", Client: "test", Conversation: turn.Conversation, Decide: config.DecidePlan})
	select {
	case text := <-asked:
		if !strings.Contains(text, "change a.txt") {
			t.Errorf("asked %q", text)
		}
	case <-s.Context().Done():
		t.Error("nobody was asked")
	}
}

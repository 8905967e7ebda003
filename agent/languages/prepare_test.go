package languages_test

import (
	"context"
	"testing"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/languages"
	"redline/agent/model"
	"redline/agent/trial"
	"redline/workspace/language"
	"redline/workspace/runner"
)

func read(path string) model.Call {
	return agenttest.Call("read_file", map[string]any{"path": path})
}

// startedOne returns a channel that is closed when a server has started.
func (f *fake) startedOne() <-chan struct{} {
	started := make(chan struct{})
	go func() {
		<-f.news
		close(started)
	}()
	return started
}

// A turn that may change files starts the server when it looks at a file of its language, before it edits one. What the
// server reports about that file as it is, is known then.
func TestTheServerStartsBeforeTheFirstEdit(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{read("a/a.x")}},
		agenttest.Reply{Wait: f.startedOne(), Calls: []model.Call{agenttest.Edit("a/a.x", "good", "BAD")}},
		agenttest.Reply{Text: "Done."},
		agenttest.Reply{Text: "It stays."},
	)
	s.Plan("spoil it")
	s.Agent.Languages.Await(t.Context(), 1)
	if p := s.PlanNow(1).Problems; p == nil || len(p.Added) != 1 || p.Added[0].Message != "bad" {
		t.Errorf("the plan has %+v", p)
	}
	if one := f.started[0]; f.count() != 1 || one.asked != 2 {
		t.Errorf("%d servers were asked, the first one %d times", f.count(), one.asked)
	}
}

// A file that the message names is looked at before the model has answered.
func TestTheServerStartsWithTheMessage(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	s.Model.Will(agenttest.Reply{Wait: f.startedOne(), Calls: []model.Call{agenttest.Edit("c.txt", "c", "d")}}, agenttest.Reply{Text: "Done."})
	s.Plan("fix c.txt as in @a/a.x")
	if f.count() != 1 {
		t.Errorf("%d servers have started", f.count())
	}
}

// A question starts no server, and neither does a change to files of other languages, or where servers may not run.
func TestNoServerIsPrepared(t *testing.T) {
	f := newFake()
	s := faked(t, f)
	s.Model.Will(agenttest.Reply{Calls: []model.Call{read("a/a.x")}}, agenttest.Reply{Text: "It is good."})
	s.Say(conversation.Message{Text: "what does @a/a.x have?", Client: "test", Mode: "ask"})
	s.Model.Will(agenttest.Reply{Calls: []model.Call{read("c.txt")}}, agenttest.Reply{Calls: []model.Call{agenttest.Edit("c.txt", "c", "d")}}, agenttest.Reply{Text: "Done."})
	s.Plan("change c.txt")
	s.Agent.Close()
	if f.count() != 0 {
		t.Errorf("%d servers have started", f.count())
	}
	s = faked(t, f, func(o *agent.Options) { o.Trials.Mode = trial.Ask })
	s.Model.Will(agenttest.Reply{Calls: []model.Call{read("a/a.x")}}, agenttest.Reply{Calls: []model.Call{agenttest.Edit("a/a.x", "good", "BAD")}}, agenttest.Reply{Text: "Done."})
	s.Plan("spoil it")
	s.Agent.Close()
	if f.count() != 0 {
		t.Errorf("%d servers have started without consent", f.count())
	}
}

// Who needs a server that is being prepared does not wait until it has answered a question that nobody asked.
func TestPreparingGivesWay(t *testing.T) {
	f := newFake()
	ready := make(chan struct{})
	s := faked(t, f, func(o *agent.Options) {
		start := o.Languages.Start
		o.Languages.Start = func(ctx context.Context, c runner.Command, lo language.Options) (languages.Server, error) {
			one, err := start(ctx, c, lo)
			one.(*fakeServer).wait = func(ctx context.Context) error { // of the first question only
				one.(*fakeServer).wait = nil
				close(ready)
				<-ctx.Done()
				return ctx.Err()
			}
			return one, err
		}
	})
	s.Agent.Languages.Prepare([]string{"a/a.x"})
	<-ready
	if got := check(t, s, bad); got != "a/a.x:1:1 error bad; x by xls: checked" || f.count() != 1 {
		t.Errorf("got %s, %d servers", got, f.count())
	}
}

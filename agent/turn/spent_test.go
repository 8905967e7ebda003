package turn_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/state"
)

// priced is a script in which each reply has a cost.
type priced struct{ *agenttest.Script }

func (p priced) Complete(ctx context.Context, r model.Request, on func(model.Event)) (model.Reply, error) {
	reply, err := p.Script.Complete(ctx, r, on)
	reply.Usage.Cost = 0.25
	return reply, err
}

// The cost of a turn is reported at its end, stored with its plan, and summed up.
func TestCostIsTold(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.With(func(o *agent.Options) { o.Model = priced{s.Model} })
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	turn := s.Say(conversation.Message{Text: "change it", Client: "test"})
	if want := (state.Usage{Prompt: 20, Completion: 10, Cost: 0.5}); turn.Usage != want {
		t.Errorf("the turn has used %+v, want %+v", turn.Usage, want)
	}
	told, err := s.Agent.Stats(s.Context(), false, time.Time{})
	if err != nil || told.Tokens.Cost != 0.5 {
		t.Errorf("the statistics tell a cost of %v, %v", told.Tokens.Cost, err)
	}
	answer := s.Say(conversation.Message{Text: "/model", Client: "test"}).Answer
	if answer == nil || !strings.Contains(*answer, "In this session 20 tokens were sent and 10 received, which cost 0.5000.") {
		t.Errorf("/model answers %v", answer)
	}
}

// The cost of a turn includes the classification of its message.
func TestTheCostOfAClassificationIsTold(t *testing.T) {
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	s.With(func(o *agent.Options) { o.Turns.Classify, o.Model = config.ClassifyByModel, priced{s.Model} })
	s.Model.Will(classification("develop"))
	s.Model.Stages(agenttest.Edit("a.txt", "one", "1"))
	turn := s.Say(conversation.Message{Text: "the first line is wrong, is it not", Client: "test"})
	if want := (state.Usage{Prompt: 30, Completion: 15, Cost: 0.75}); turn.Usage != want {
		t.Errorf("the turn has used %+v, want %+v", turn.Usage, want)
	}
}

package conversation

import (
	"context"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/trace"
)

// Earlier reads what was said in the conversations of a workspace, in this session and others. Its
// methods wait for the store.
type Earlier struct{ conversations *Conversations }

// NewEarlier returns what reads the conversations of the workspace.
func NewEarlier(c *Conversations) Earlier { return Earlier{c} }

// maxEarlier is how many conversations [Earlier.List] lists.
const maxEarlier = 100

// List returns the conversations of the workspace that something was said in, the newest
// first, without their exchanges.
func (e Earlier) List(ctx context.Context) ([]state.Conversation, error) {
	c := e.conversations
	if err := c.Store(ctx); err != nil {
		return nil, err
	}
	spoken, err := c.session.Store.Spoken(ctx, c.session.Key(), maxEarlier)
	list := make([]state.Conversation, 0, len(spoken))
	for _, s := range spoken {
		list = append(list, state.Conversation{Conversation: s.Name, Updated: s.Updated, Request: trace.Line(s.Request, 120), Count: s.Exchanges})
	}
	return list, err
}

// Open returns one conversation with the exchanges that are kept of it, oldest first: those before
// are in its summary. Each has the plan and the trace of its turn, if they are still known. It
// returns a refusal if there is no such conversation.
func (e Earlier) Open(ctx context.Context, id string) (state.Conversation, error) {
	if err := e.conversations.Store(ctx); err != nil {
		return state.Conversation{}, err
	}
	s := e.conversations.session
	said, err := s.Store.Conversation(ctx, s.Key(), id, 0)
	if err != nil {
		return state.Conversation{}, err
	}
	if len(said.Exchanges) == 0 && said.Summary.Text == "" {
		return state.Conversation{}, plan.Refuse(plan.Invalid, "There is no conversation %q: it was removed, or nothing was said in it.", trace.Line(id, 40))
	}
	traces, err := s.Store.Traces(ctx, s.Key(), store.TraceFilter{Conversation: id})
	if err != nil {
		return state.Conversation{}, err
	}
	made := state.Conversation{Conversation: id, Summary: said.Summary.Text, Count: len(said.Exchanges)}
	for _, x := range said.Exchanges {
		exchange := state.Exchange{At: x.At, Request: x.Request, Answer: x.Answer}
		for _, t := range traces {
			if !t.Began.After(x.At) && !t.Ended.Before(x.At) {
				exchange.Plan, exchange.Trace = t.Plan, t.ID
			}
		}
		made.Exchanges = append(made.Exchanges, exchange)
		made.Updated = x.At
	}
	if len(said.Exchanges) > 0 {
		made.Request = trace.Line(said.Exchanges[0].Request, 120)
	}
	return made, nil
}

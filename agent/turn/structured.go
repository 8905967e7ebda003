package turn

import (
	"context"
	"errors"

	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/state"
)

// structured asks a model for one reply of the shape that the request names and charges it to a
// turn. Nothing of the reply is shown. If the provider does not support shapes, package model
// asks without one, and the prompt describes it too. The caller must check the reply.
func (w *work) structured(ctx context.Context, p model.Provider, req model.Request) (string, error) {
	var zero float64
	req.Temperature = &zero
	reply, err := p.Complete(ctx, req, nil)
	w.charge(reply.Usage)
	if err == nil && reply.Finish == "length" {
		return "", errors.New("the reply was cut")
	}
	return reply.Text, err
}

// charge adds the cost of a request to its turn.
func (w *work) charge(used model.Usage) {
	w.aside.Prompt += used.Prompt
	w.aside.Completion += used.Completion
	w.turn.Update(func(r *conversation.Result) {
		r.Usage.Prompt += used.Prompt
		r.Usage.Completion += used.Completion
	})
}

// asUsage returns what a model has used as clients see it.
func asUsage(u model.Usage) state.Usage {
	return state.Usage{Prompt: u.Prompt, Completion: u.Completion, Cost: u.Cost}
}

package turn

import (
	"context"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/trial"
)

// try runs a command on what a plan proposes. Its results are the answer.
func (cs *Commands) try(ctx context.Context, t *conversation.Turn, s chat.Slash) error {
	if !t.Request.Decides {
		return plan.Refuse(plan.NotAllowed, "%q was in the chat file before it was opened: type the command again to run it.", "/try")
	}
	n, err := cs.PlanMeant(ctx, t.Conversation.ID, s)
	if err != nil {
		return err
	}
	r := trial.Request{Plan: n}
	if s.Rest != "" {
		r.Commands = []string{s.Rest}
	}
	return cs.Trials.TryIn(ctx, t, r)
}

package main

import (
	"context"
	"fmt"

	"redline/agent"
	"redline/agent/state"
	"redline/internal/phrase"
)

// askTrials asks the user at the terminal whether models may try commands in this
// workspace, if trials are possible and the user has not decided yet. The error is that
// of ctx.
func (c *console) askTrials(ctx context.Context, a *agent.Agent) error {
	example, ask := a.TrialQuestion(ctx)
	if !ask {
		return nil
	}
	answer, err := c.Ask(ctx, state.Question{
		Text:    fmt.Sprintf("May models try commands, such as `%s`, in an isolated copy of this workspace before you approve anything?", phrase.Clip(phrase.OneLine(example), 60)),
		Options: []string{"yes", "no", "later"},
	})
	if err != nil {
		return errInterrupted
	}
	switch answer.Choice {
	case "yes":
		err = a.AllowTrials(ctx)
	case "no":
		if err = a.ForbidTrials(ctx); err == nil {
			fmt.Fprintln(c.err, "Commands are not tried here. `redline trials allow` allows it.")
		}
	}
	if err != nil { // the turn does not depend on it
		fmt.Fprintln(c.err, "redline:", err)
	}
	return nil
}

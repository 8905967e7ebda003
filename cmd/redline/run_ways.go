package main

import (
	"context"
	"fmt"

	"redline/agent"
	"redline/agent/config"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
)

// mayApprove refuses --approve, before a model is asked, if the settings do not allow that
// way to approve.
func (f *runFlags) mayApprove(s config.Settings) error {
	if by, forbidden := s.Forbidden()[view.ByCommandLine]; f.approve && forbidden {
		return plan.Refuse(plan.NotAllowed, "%s does not allow --approve: leave it out, and answer the question at a terminal or approve the plan in your editor.", by)
	}
	return nil
}

// choose shows what the approval covers and, where the settings require a terminal, asks
// there. It returns the approval, bound to what the user saw. yes is false if the user
// does not approve now.
func (c *console) choose(ctx context.Context, a *agent.Agent, d view.Request, p *state.Plan) (_ view.Request, yes bool, err error) {
	asks := c.asks() && !c.quiet && !a.Allows(view.ByCommandLine)
	if d.Hash == "" || asks {
		if err := c.showSince(ctx, a, p); err != nil {
			return d, false, err
		}
	}
	if d.Hash == "" {
		d.Hash = p.Hash
	}
	if !asks {
		return d, true, nil
	}
	answer, err := c.Ask(ctx, state.Question{Text: fmt.Sprintf("Approve these changes of plan %d?", p.Plan), Options: []string{"yes", "no"}})
	d.Way = view.ByChoice
	return d, err == nil && answer.Choice == "yes", err
}

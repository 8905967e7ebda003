package lsp

import (
	"context"
	"fmt"

	"redline/agent"
	"redline/edits"
	"redline/lsp/wire"
)

// decideArgs is the argument of the commands that decide: the plan, the
// revision that was shown, and the scope. The narrowest given scope counts.
type decideArgs struct {
	Plan          int     `json:"plan"`
	Revision      int     `json:"revision,omitempty"`
	Hash          string  `json:"hash,omitempty"`
	Path          *string `json:"path,omitempty"`
	Hunk          *string `json:"hunk,omitempty"`
	Operation     *string `json:"operation,omitempty"`
	SkipStale     bool    `json:"skipStale,omitempty"`
	AllowCommands bool    `json:"allowCommands,omitempty"`
	Saved         bool    `json:"saved,omitempty"`
	Reason        string  `json:"reason,omitempty"`
}

// decide turns the argument of a command into a decision. A scope that is
// given and empty is refused: it would mean the whole plan.
func (s *session) decide(command string, args decideArgs) (agent.Decide, error) {
	if err := needsPlan(command, args.Plan); err != nil {
		return agent.Decide{}, err
	}
	d := agent.Decide{
		Plan: args.Plan, Revision: args.Revision, Hash: args.Hash,
		SkipStale: args.SkipStale, AllowCommands: args.AllowCommands, Saved: args.Saved, Reason: args.Reason, Client: s.client.name,
	}
	for _, scope := range []struct {
		name  string
		given *string
		use   func(string)
	}{
		{"path", args.Path, func(v string) { d.Paths = []string{v} }},
		{"hunk", args.Hunk, func(v string) { d.Hunks = []string{v} }},
		{"operation", args.Operation, func(v string) { d.Operation = v }},
	} {
		if scope.given == nil {
			continue
		}
		if *scope.given == "" {
			return d, invalidParams(fmt.Sprintf("%s: %q is empty: leave it out to mean the whole plan.", command, scope.name))
		}
		scope.use(*scope.given)
	}
	return d, nil
}

// needsPlan refuses an argument that names no plan.
func needsPlan(command string, plan int) error {
	if plan < 1 {
		return invalidParams(command + `: "plan" must be the number of a plan, 1 or more.`)
	}
	return nil
}

// bind has a decision that names no revision mean the one that this client was
// shown last. A plan that was never shown here cannot be decided on.
func (s *session) bind(ctx context.Context, a *agent.Agent, d *agent.Decide) error {
	if s.shown.bind(d) {
		return nil
	}
	if _, err := a.PlanState(ctx, d.Plan, edits.UTF16); err != nil {
		return err
	}
	return &agent.Refusal{Kind: agent.HashMismatch,
		Reason: fmt.Sprintf("Plan %d has not been shown here yet: look at it first, then decide.", d.Plan)}
}

// approve carries out what the argument names. It answers once the texts were
// verified, or after five seconds with the state executing.
func (s *session) approve(args decideArgs) (wire.Run, error) {
	d, err := s.decide(commandApprove, args)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		a, err := s.ready(ctx)
		if err != nil {
			return nil, err
		}
		if err := s.bind(ctx, a, &d); err != nil {
			return nil, err
		}
		return s.carryOut(ctx, a, d, false)
	}, nil
}

package lsp

import (
	"context"
	"fmt"

	"redline/agent"
	"redline/agent/decision"
	"redline/lsp/backend"
	"redline/lsp/wire"
)

// decideArgs is the argument of the commands that decide: the plan, the
// revision that was shown, and the scope. The narrowest given scope counts. The
// comments say which commands use a member, and make the page docs/commands.md; the
// other commands accept it too, so that actions can offer one argument for all.
type decideArgs struct {
	// approve, reject, undo: the number of the plan
	Plan int `json:"plan"`

	// approve, reject, undo: refused if the plan is at another revision now
	Revision int `json:"revision,omitempty"`

	// approve, reject, undo: refused if the plan has another approval hash now
	Hash string `json:"hash,omitempty"`

	// approve, reject, undo: only this file
	Path *string `json:"path,omitempty"`

	// approve, reject, undo: only this hunk
	Hunk *string `json:"hunk,omitempty"`

	// approve, reject: only this operation: the hunks that it had a part in, or the command
	// undo: only the hunks that this operation had a part in
	Operation *string `json:"operation,omitempty"`

	// approve: leave out the hunks whose text was changed, instead of refusing all
	// undo: leave out the hunks whose new lines were changed since, instead of refusing all
	SkipStale bool `json:"skipStale,omitempty"`

	// approve: true runs the commands too, false runs none, also none that your own rules allow; left out, those that your rules allow run
	AllowCommands *bool `json:"allowCommands,omitempty"`

	// approve, undo: the files that the editor does not show are saved, see `editor.attached` in [settings.md](settings.md)
	Saved bool `json:"saved,omitempty"`

	// reject: why; the model is told
	Reason string `json:"reason,omitempty"`
}

// decisionOf turns the argument of a command into a decision. A scope that is
// given and empty is refused: it would mean the whole plan.
func decisionOf(command string, args decideArgs, client string) (decision.Request, error) {
	if err := needsPlan(command, args.Plan); err != nil {
		return decision.Request{}, err
	}
	d := decision.Request{
		Plan: args.Plan, Revision: args.Revision, Hash: args.Hash,
		SkipStale: args.SkipStale, Saved: args.Saved, Reason: args.Reason, Client: client,
	}
	if allow := args.AllowCommands; allow != nil {
		d.AllowCommands, d.NoCommands = *allow, !*allow
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
			return d, backend.InvalidParams(fmt.Sprintf("%s: %q is empty: leave it out to mean the whole plan.", command, scope.name))
		}
		scope.use(*scope.given)
	}
	return d, nil
}

// needsPlan refuses an argument that names no plan.
func needsPlan(command string, plan int) error {
	if plan < 1 {
		return backend.InvalidParams(command + `: "plan" must be the number of a plan, 1 or more.`)
	}
	return nil
}

// approve applies what the argument names. It answers once the texts are verified, or
// after five seconds with the state executing.
func (d *decisions) approve(args decideArgs) (wire.Run, error) {
	decision, err := decisionOf(commandApprove, args, d.client.name)
	if err != nil {
		return nil, err
	}
	return d.backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		if err := d.bind(ctx, a, &decision); err != nil {
			return nil, err
		}
		return d.carryOut(ctx, decision, a.Approve)
	}), nil
}

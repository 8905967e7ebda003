package command

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/lsp/backend"
	"redline/lsp/position"
	"redline/lsp/wire"
)

type stateArgs struct {
	All bool `json:"all,omitempty"` // all plans of the workspace; else the open ones and the last 20
}

// state returns the plans, the turns of this session and the model, and records that the client
// was shown the plans. If no folder is open, there are no plans.
func (r *Runner) state(args stateArgs) (wire.Run, error) {
	return func(ctx context.Context) (any, error) {
		if r.Backend.Agent() != nil && len(r.Workspace.Folders()) == 0 {
			return state.State{Plans: []state.Plan{}, Turns: []state.Turn{}, Model: r.Backend.Agent().ModelState(), Trials: state.TrialsNone}, nil
		}
		a, err := r.Backend.Ready(ctx)
		if err != nil {
			return nil, err
		}
		state, err := a.State(ctx, args.All)
		if err != nil {
			return nil, err
		}
		for _, p := range state.Plans {
			r.noteShown(p)
		}
		state.Plans = r.Positions.Plans(state.Plans)
		state.Trials, state.Checks = a.Trials.Standing().State(), a.Trials.ChecksKnown()
		return state, nil
	}, nil
}

// HunksArgs is the argument of redline.hunks.
type HunksArgs struct {
	TextDocument position.TextDocument `json:"textDocument"` // the document: `{uri}`
}

// DocumentHunks is the result of redline.hunks.
type DocumentHunks struct {
	Hunks []DocumentHunk `json:"hunks"`
}

// DocumentHunk is one undecided hunk of a document, with all that a client needs to show it in
// the text and to decide on it. The range is in the negotiated encoding. The texts are exact,
// unlike those of a diagnostic.
type DocumentHunk struct {
	Plan     int         `json:"plan"`             // the number of its plan
	Revision int         `json:"revision"`         // its revision
	Hash     string      `json:"hash"`             // the approval hash of that revision
	Path     string      `json:"path"`             // the file, from the workspace's root
	Hunk     string      `json:"hunk"`             // its name, `h1`
	Status   string      `json:"status"`           // pending or stale
	Reason   string      `json:"reason,omitempty"` // why it is stale, in a sentence
	Action   string      `json:"action"`           // the change of its file: create, update, rename or delete
	Range    state.Range `json:"range"`            // whole lines of the text that the client had when it asked; empty if it only inserts
	OldText  string      `json:"oldText"`          // the present text of the range, byte for byte
	NewText  string      `json:"newText"`          // the text that would replace it, byte for byte
	Match    string      `json:"match,omitempty"`  // how its place was found
}

// Hunks returns the undecided hunks of one document, by plan and position, as they are when the
// request arrives.
func (r *Runner) Hunks(args HunksArgs) (wire.Run, error) {
	if args.TextDocument.URI == "" {
		return nil, backend.InvalidParams(Hunks + `: say of which document: {"textDocument":{"uri":"file:///…"}}.`)
	}
	at := r.Locations.Find(args.TextDocument.URI, protocol.Range{})
	return func(context.Context) (any, error) {
		result := DocumentHunks{Hunks: []DocumentHunk{}}
		for p, f := range at.Files {
			for _, h := range f.Undecided {
				result.Hunks = append(result.Hunks, DocumentHunk{
					Plan: p.Plan.Number, Revision: p.Revision.Number, Hash: p.Revision.Hash,
					Path: f.Change.Path, Hunk: h.ID, Status: string(h.Status), Reason: h.Reason, Action: string(f.Change.Action),
					Range:   r.Positions.HunkRange(f.Live, h.Span),
					OldText: h.OldText, NewText: h.NewText, Match: h.Match,
				})
			}
		}
		return result, nil
	}, nil
}

type rateArgs struct {
	Plan   int `json:"plan"`   // the number of the plan
	Rating int `json:"rating"` // from 1 (bad) to 5 (good)
}

// rate stores the user's rating of a plan. Its result is the plan.
func (r *Runner) rate(args rateArgs) (wire.Run, error) {
	if err := needsPlan(Rate, args.Plan); err != nil {
		return nil, err
	}
	if args.Rating < plan.RatedBad || args.Rating > plan.RatedGood {
		return nil, backend.InvalidParams(fmt.Sprintf(`%s: "rating" must be a number from %d to %d.`, Rate, plan.RatedBad, plan.RatedGood))
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		return r.planResult(a.Rate(ctx, args.Plan, args.Rating))
	}), nil
}

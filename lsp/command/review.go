package command

import (
	"context"

	"redline/agent"
	"redline/agent/refusal"
	"redline/lsp/wire"
)

// ReviewArgs is the argument of redline.review. Revision and Hash bind it to what was shown, as
// an approval.
type ReviewArgs struct {
	Plan      int    `json:"plan"`                // the number of the plan
	Revision  int    `json:"revision,omitempty"`  // refused if the plan is at another revision now
	Hash      string `json:"hash,omitempty"`      // refused if the plan has another approval hash now
	SkipStale bool   `json:"skipStale,omitempty"` // leave out the hunks whose text was changed, instead of refusing all
	Saved     bool   `json:"saved,omitempty"`     // the files that the editor does not show are saved, see `editor.attached` in [settings.md](settings.md)
}

// review opens a plan in the editor's own review of edits. It answers when the review has
// ended, or after five seconds with the state executing.
func (r *Runner) review(args ReviewArgs) (wire.Run, error) {
	decision, err := decisionOf(Review, DecideArgs{Plan: args.Plan, Revision: args.Revision, Hash: args.Hash, SkipStale: args.SkipStale, Saved: args.Saved}, r.ClientName)
	if err != nil {
		return nil, err
	}
	return r.Backend.Run(func(ctx context.Context, a *agent.Agent) (any, error) {
		if !r.Review {
			return nil, &refusal.Error{Kind: refusal.NotAllowed,
				Reason: "This editor has no review of its own that Redline knows of: approve or reject the changes one by one, or look at the preview. If it has one, set editor.review to \"always\" in your settings."}
		}
		if err := r.bind(ctx, a, &decision); err != nil {
			return nil, err
		}
		return r.carryOut(ctx, decision, a.Review)
	}), nil
}

package command

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"redline/agent"
	"redline/agent/plan"
	"redline/edits"
	"redline/lsp/wire"
)

// showChange puts the cursor where a proposed change is in its file now, if the client can show
// documents, and else says where that is. It refuses a change that is not there any more: a menu
// may be older than what it offers.
func (r *Runner) showChange(args ShowArgs) (wire.Run, error) {
	snapshot := r.Backend.Snapshot()
	return r.Backend.Run(func(context.Context, *agent.Agent) (any, error) {
		p := snapshot.Plan(args.Plan)
		if p == nil {
			return nil, plan.Refuse(plan.NoSuchPlan, "There is no plan %d.", args.Plan)
		}
		f := p.File(args.Path)
		if f == nil {
			return nil, plan.Refuse(plan.Invalid, "Plan %d does not change %s.", args.Plan, args.Path)
		}
		for _, h := range f.Undecided {
			if h.ID != args.Hunk {
				continue
			}
			uri, at := f.URI, r.Positions.Range(f.Live, edits.Span{Start: h.Span.Start, End: h.Span.Start})
			r.Conn.Go("show", func(ctx context.Context) {
				if !r.Window.ShowDocument(ctx, uri, &protocol.Range{Start: at.Start, End: at.Start}, true) {
					r.Window.Info(fmt.Sprintf("look at %s, line %d.", f.Path, at.Start.Line+1))
				}
			})
			return shownAt{uri}, nil
		}
		return nil, plan.Refuse(plan.Invalid, "Change %s of plan %d is already decided.", args.Hunk, args.Plan)
	}), nil
}

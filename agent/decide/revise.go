package decide

import (
	"context"

	"redline/agent/board"
	"redline/agent/plan"
)

// ownRevision is a revision that the user makes: by removing or ordering operations, by going
// back to an earlier revision, or in the preview.
type ownRevision struct {
	revision plan.Revision        // operations and changes, with the ids of those that stay; Parent 0 for the current one
	texts    map[plan.Blob]string // of its changes, as far as they are new
}

// reviseByUser adds the revision that make returns to a plan. make runs while the plan is locked
// and gets a value of the plan that it may change; if it refuses, nothing changes. The revision
// waits for approval.
func (ds *Decisions) reviseByUser(ctx context.Context, n int, make func(context.Context, *board.Held, *plan.Plan) (ownRevision, error)) (*board.Held, error) {
	h, err := ds.find(ctx, n)
	if err != nil {
		return nil, err
	}
	tx := ds.board.Lock(h)
	defer tx.Unlock()
	if err := tx.Ready(plan.RequestRevision); err != nil {
		return nil, err
	}
	next := h.Plan().Clone()
	own, err := make(ctx, h, next)
	if err != nil {
		return nil, err
	}
	events := []plan.Event{plan.RequestRevision, plan.FinishDrafting}
	if err := apply(next, events...); err != nil {
		return nil, err
	}
	own.revision.Author, own.revision.Created = plan.AuthorUser, ds.now().UTC()
	if err := board.AppendRevision(ctx, ds.store, next, own.revision, own.texts); err != nil {
		return nil, err
	}
	next.Updated = ds.now().UTC()
	return tx.AddRevision(ctx, next, own.texts, events...)
}

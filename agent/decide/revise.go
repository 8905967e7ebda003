package decide

import (
	"context"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/refusal"
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
	h, err := ds.board.Find(ctx, n)
	if err != nil {
		return nil, err
	}
	if err := ds.board.Reconcile(ctx, h); err != nil {
		return nil, err
	}
	if h, err = ds.storeByUser(ctx, h, make); err != nil {
		return nil, err
	}
	ds.board.Announce(h, "")
	return h, nil
}

// storeByUser stores the revision that make returns.
func (ds *Decisions) storeByUser(ctx context.Context, h *board.Held, make func(context.Context, *board.Held, *plan.Plan) (ownRevision, error)) (*board.Held, error) {
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
	for _, e := range events {
		if err := next.Apply(e); err != nil {
			return nil, refusal.New(refusal.WrongState, "Plan %d: %s", next.Number, err)
		}
	}
	own.revision.Author, own.revision.Created = plan.AuthorUser, ds.now().UTC()
	if err := board.AppendRevision(ctx, ds.store, next, own.revision, own.texts); err != nil {
		return nil, err
	}
	next.Updated = ds.now().UTC()
	return tx.AddRevision(ctx, next, own.texts, events...)
}

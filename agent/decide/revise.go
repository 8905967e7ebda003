package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"redline/agent/board"
	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/toolset"
	"redline/agent/view"
	"redline/internal/phrase"
	"redline/workspace"
)

// ownRevision is a revision that the user makes: by removing or ordering operations, by going
// back to an earlier revision, or in the preview.
type ownRevision struct {
	revision plan.Revision        // operations and changes, with the ids of those that stay; Parent 0 means the current revision
	texts    map[plan.Blob]string // the new texts of its changes
}

// reviseByUser adds the revision that make returns to a plan. make runs while the plan is locked
// and gets a copy of the plan that it may change; if it refuses, nothing changes. The revision
// waits for approval.
func (ds *Decisions) reviseByUser(ctx context.Context, n int, make func(context.Context, *board.Held, *plan.Plan) (ownRevision, error)) (*board.Held, error) {
	tx, err := ds.board.Open(ctx, n)
	if err != nil {
		return nil, err
	}
	defer tx.Unlock()
	return ds.revise(ctx, tx, make)
}

// revise does what reviseByUser does, for a plan that is locked.
func (ds *Decisions) revise(ctx context.Context, tx *board.Tx, make func(context.Context, *board.Held, *plan.Plan) (ownRevision, error)) (*board.Held, error) {
	if err := tx.Ready(plan.RequestRevision, view.Request{}); err != nil {
		return nil, err
	}
	next := tx.Held.Plan().Clone()
	own, err := make(ctx, tx.Held, next)
	if err != nil {
		return nil, err
	}
	events := []plan.Event{plan.RequestRevision, plan.FinishDrafting}
	if err := apply(next, events...); err != nil {
		return nil, err
	}
	own.revision.Author, own.revision.Created = plan.AuthorUser, ds.now().UTC()
	if err := board.AppendRevision(ctx, ds.board, next, own.revision, own.texts); err != nil {
		return nil, err
	}
	h, err := tx.Revise(ctx, board.NewRevision{Plan: next, Texts: own.texts}, events...)
	return h, ds.board.StoreError(next.Number, err)
}

// Staging is a change to the operations of a plan. At most one of Remove, Restore, Order and Clear
// is set.
type Staging struct {
	Plan    int
	Remove  []string // ids of operations to remove
	Restore []string // ids of removed operations to put back
	Order   []string // ids of operations that swap places among themselves, in their new order; the others stay where they are
	Clear   bool     // remove all
}

// Stage adds a revision to a plan with fewer operations, with removed ones put back, or with the
// same ones in another order. The hunks of the remaining operations, and the decisions on them,
// stay. If there is nothing to change, it returns the plan unchanged.
func (ds *Decisions) Stage(ctx context.Context, s Staging) (state.Plan, error) {
	asked := 0
	for _, one := range []bool{len(s.Remove) > 0, len(s.Restore) > 0, len(s.Order) > 0, s.Clear} {
		if one {
			asked++
		}
	}
	switch {
	case asked == 0:
		return ds.board.PlanState(ctx, s.Plan)
	case asked > 1:
		return state.Plan{}, plan.Refuse(plan.Invalid, "Take operations of plan %d out, put them back, put them in another order or clear them: one at a time.", s.Plan)
	}
	return ds.announced(ds.reviseByUser(ctx, s.Plan, func(ctx context.Context, h *board.Held, next *plan.Plan) (ownRevision, error) {
		switch {
		case s.Clear:
			return cleared(next, h.Revision())
		case len(s.Order) > 0:
			return reordered(next, h.Revision(), s.Order)
		case len(s.Restore) > 0:
			return ds.restored(ctx, next, h.Revision(), s.Restore)
		}
		return without(ctx, ds.ws, next, h.Revision(), s.Remove, ds.store.Texts(ctx))
	}))
}

// own returns a revision by the user with the given operations and changes, which come from r.
func own(r *plan.Revision, note string, operations []plan.Operation, changes []plan.Change, texts map[plan.Blob]string) ownRevision {
	next := *r
	next.Parent, next.Note, next.Tokens = 0, note, plan.Tokens{}
	next.Operations, next.Changes = operations, changes
	next.Steps = slices.DeleteFunc(slices.Clone(r.Steps), func(s plan.Step) bool {
		of := func(o plan.Operation) bool { return o.Step == s.ID }
		return slices.ContainsFunc(r.Operations, of) && !slices.ContainsFunc(operations, of)
	})
	return ownRevision{revision: next, texts: texts}
}

// cleared returns r without any operation.
func cleared(p *plan.Plan, r *plan.Revision) (ownRevision, error) {
	if len(r.Operations) == 0 {
		return ownRevision{}, plan.Refuse(plan.WrongState, "Nothing is staged in plan %d: reject it to close it, or rework it.", p.Number)
	}
	for i := range r.Operations {
		if err := removable(p, r, &r.Operations[i]); err != nil {
			return ownRevision{}, err
		}
	}
	return own(r, "nothing staged", nil, nil, nil), nil
}

// without returns r without the operations with the given ids: it stages the other operations
// again. text returns the texts of r.
func without(ctx context.Context, ws *workspace.Workspace, p *plan.Plan, r *plan.Revision, ids []string, text func(plan.Blob) (string, error)) (ownRevision, error) {
	rest, err := Without(p, r, ids, text, toolset.Replay(ctx, ws))
	if refused, ok := errors.AsType[*draft.Refusal](err); ok {
		return ownRevision{}, plan.Refuse(plan.Invalid, "Plan %d stays as it is: %s.", p.Number, refused)
	}
	if err != nil {
		return ownRevision{}, err
	}
	note := "without " + phrase.And(inOrderOf(r, ids))
	switch {
	case len(rest.Operations) == 0:
		note = "nothing staged"
	case len(rest.Idle) > 0:
		note += fmt.Sprintf("; %s then came to nothing", phrase.And(rest.Idle))
	}
	return own(r, note, rest.Operations, rest.Changes, rest.Texts), nil
}

// Without takes operations out of the revision r of p: see [draft.Without]. It refuses one that r does
// not have, and one that is, or may be, partly applied, or that has run and has not failed.
func Without(p *plan.Plan, r *plan.Revision, ids []string, text func(plan.Blob) (string, error), replay draft.Replay) (draft.Rest, error) {
	for _, id := range ids {
		o, err := operationOf(p, r, id)
		if err == nil {
			err = removable(p, r, o)
		}
		if err != nil {
			return draft.Rest{}, err
		}
	}
	decided := func(hunk string) bool { return p.Progress.Hunk(hunk).Status != plan.HunkPending }
	return draft.Without(r, ids, decided, text, replay)
}

// inOrderOf returns the ids, each once, in the order of r's operations.
func inOrderOf(r *plan.Revision, ids []string) []string {
	var out []string
	for i := range r.Operations {
		if id := r.Operations[i].ID; slices.Contains(ids, id) {
			out = append(out, id)
		}
	}
	return out
}

func operationOf(p *plan.Plan, r *plan.Revision, id string) (*plan.Operation, error) {
	if o, ok := r.Operation(id); ok {
		return o, nil
	}
	if len(r.Operations) == 0 {
		return nil, plan.Refuse(plan.Invalid, "Plan %d has no operation %s: nothing is staged in revision %d.", p.Number, id, r.Number)
	}
	return nil, plan.Refuse(plan.Invalid, "Plan %d has no operation %s in revision %d: `redline plans stage %d` lists them.", p.Number, id, r.Number, p.Number)
}

// removable refuses to remove an operation that is, or may be, partly applied, or that has run and
// has not failed.
func removable(p *plan.Plan, r *plan.Revision, o *plan.Operation) error {
	if o.IsCommand() {
		switch s := p.Progress.Command(o.ID).Status; s {
		case plan.CommandPending, plan.CommandRejected, plan.CommandSkipped, plan.CommandFailed:
			return nil
		case plan.CommandRunning, plan.CommandWaitingForSave:
			return plan.Refuse(plan.WrongState, "Command %s of plan %d is approved and not done: wait until it has ended, or cancel it.", o.ID, p.Number)
		}
		return plan.Refuse(plan.WrongState, "Command %s of plan %d has run: it cannot be taken out any more.", o.ID, p.Number)
	}
	for _, c := range r.Concerns(o) {
		mark := p.Progress.File(r.Number, c.Path)
		if mark.Sent != nil {
			return plan.Refuse(plan.Busy, "It is not known yet whether %s was changed by %s of plan %d: open or save the file in your editor, then try again.", c.Path, o.ID, p.Number)
		}
		carried := slices.Contains(c.Movers(), o.ID) && mark.Move == plan.FileApplied
		for i := range c.Hunks {
			if slices.Contains(c.MakersOf(&c.Hunks[i]), o.ID) {
				s := p.Progress.Hunk(c.Hunks[i].ID).Status
				carried = carried || s == plan.HunkApplied || s == plan.HunkApproved
			}
		}
		if carried {
			return plan.Refuse(plan.WrongState, "Operation %s of plan %d is applied in %s: undo it first, or take out only the others.", o.ID, p.Number, c.Path)
		}
	}
	return nil
}

// reordered returns r with the named operations in that order; the others stay where they are.
func reordered(p *plan.Plan, r *plan.Revision, named []string) (ownRevision, error) {
	order, err := r.Dependencies().Ordered(named)
	if err != nil {
		return ownRevision{}, plan.Refuse(plan.Invalid, "Plan %d stays as it is: %s.", p.Number, err)
	}
	operations := make([]plan.Operation, len(order))
	note := ""
	for i, id := range order {
		o, _ := r.Operation(id)
		operations[i] = *o
		if was := r.Operations[i].ID; note == "" && id != was {
			note = id + " before " + was
		}
	}
	if note == "" {
		return ownRevision{}, plan.Refuse(plan.Invalid, "The operations of plan %d are in that order already.", p.Number)
	}
	changes := slices.Clone(r.Changes)
	plan.SortChanges(operations, changes)
	return own(r, note, operations, changes, nil), nil
}

// Rollback adds a revision to a plan with the content of an earlier one: its hunks, and the
// decisions on them, and replaces the plan's goal unless goal is "". No file changes: what is applied
// stays applied until it is undone.
func (ds *Decisions) Rollback(ctx context.Context, n, revision int, goal string) (state.Plan, error) {
	return ds.announced(ds.reviseByUser(ctx, n, func(_ context.Context, _ *board.Held, next *plan.Plan) (ownRevision, error) {
		if revision == next.Current {
			return ownRevision{}, plan.Refuse(plan.Invalid, "Plan %d is at revision %d already.", n, revision)
		}
		old, ok := next.Revision(revision)
		if !ok {
			return ownRevision{}, plan.Refuse(plan.Invalid, "Plan %d has no revision %d: it has %d.", n, revision, len(next.Revisions))
		}
		next.Goal = cmp.Or(goal, next.Goal)
		r := *old
		r.Parent, r.Note, r.Tokens = revision, fmt.Sprintf("back to revision %d", revision), plan.Tokens{}
		return ownRevision{revision: r}, nil
	}))
}

// restored returns r with removed operations put back: the revision from which they were
// removed, without the others that are removed now. Their hunks are the earlier ones, with the
// decisions on them. It refuses an operation that r has, and one that was removed before the
// plan was changed in another way, since r has no place for it.
func (ds *Decisions) restored(ctx context.Context, p *plan.Plan, r *plan.Revision, ids []string) (ownRevision, error) {
	for _, id := range ids {
		if _, ok := r.Operation(id); ok {
			return ownRevision{}, plan.Refuse(plan.Invalid, "Operation %s is in plan %d already.", id, p.Number)
		}
	}
	fuller := p.Fuller(r)
	at := slices.IndexFunc(fuller, func(before *plan.Revision) bool {
		return !slices.ContainsFunc(ids, func(id string) bool { _, ok := before.Operation(id); return !ok })
	})
	if at < 0 {
		return ownRevision{}, notRestorable(p, ids)
	}
	before := fuller[at]
	var out []string
	for _, o := range before.Operations {
		if _, staged := r.Operation(o.ID); !staged && !slices.Contains(ids, o.ID) {
			out = append(out, o.ID)
		}
	}
	note := "with " + phrase.And(inOrderOf(before, ids)) + " again"
	back, err := own(before, note, before.Operations, before.Changes, nil), error(nil)
	if out != nil {
		back, err = without(ctx, ds.ws, p, before, out, ds.store.Texts(ctx))
	}
	back.revision.Note, back.revision.Parent = note, before.Number // it has its earlier hunks
	return back, err
}

// notRestorable says why operations cannot be put back, and what to do.
func notRestorable(p *plan.Plan, ids []string) error {
	for i := range slices.Backward(p.Revisions) {
		had := &p.Revisions[i]
		if !slices.ContainsFunc(ids, func(id string) bool { _, ok := had.Operation(id); return !ok }) {
			return plan.Refuse(plan.Invalid, "Plan %d was changed since %s was taken out: go back to revision %d, which includes it.", p.Number, phrase.And(ids), had.Number)
		}
	}
	return plan.Refuse(plan.Invalid, "No revision of plan %d has %s: `redline plans stage %d` lists its operations.", p.Number, phrase.And(ids), p.Number)
}

package decide

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/internal/phrase"
)

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
		back, err = ds.without(ctx, p, before, out, ds.store.Texts(ctx))
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

package board

import (
	"context"
	"errors"

	"redline/agent/plan"
	"redline/agent/store"
)

// Draft applies to next an event that begins drafting, and makes that the plan's value. It is
// never stored: after a crash the plan is in the state that next has. End it with Undraft, or
// with another revision.
func (tx *Tx) Draft(next *plan.Plan, e plan.Event) error {
	before, next := next.State, next.Clone()
	if err := next.Apply(e); err != nil {
		return err
	}
	r, _ := next.Revision(tx.Held.Revision().Number)
	tx.Held.before = before
	tx.b.with(tx.Held, func(t *table, held *entry) {
		held.set(next, r)
		t.applyEffects(held, before, e)
		t.changed(held)
	})
	return nil
}

// Undraft puts a plan that is being drafted back into the state that it had before, and reports
// whether it did. It leaves a plan whose revision is to be stored later.
func (tx *Tx) Undraft() bool {
	b, h := tx.b, tx.Held
	if h.unstored || h.Plan().State != plan.Drafting {
		return false
	}
	next := h.Plan().Clone()
	next.State = h.before
	b.with(h, func(t *table, e *entry) {
		e.set(next, h.Revision())
		t.changed(e)
	})
	return true
}

// SetUnstored sets whether a revision of the plan is to be stored later: until then the plan
// stays drafting. It does nothing for a plan that is not created yet.
func (tx *Tx) SetUnstored(later bool) {
	if tx.Held != nil {
		tx.Held.unstored = later
	}
}

// Unstored reports whether a revision of the plan is to be stored later.
func (tx *Tx) Unstored() bool { return tx.Held.unstored }

// Revise stores a further revision of the plan, which a turn has made and to which the events
// have led, and holds it. For a user's revision see [Tx.AddRevision].
// The error is the store's: [store.ErrChanged] if another process was faster.
func (tx *Tx) Revise(ctx context.Context, n NewRevision, events ...plan.Event) (*Held, error) {
	b, before := tx.b, tx.Held.Plan().State
	n.Plan.Progress.Folders, n.Plan.Updated = namedFolders(b.ws.Folders()), b.now().UTC()
	if err := b.store.AddRevision(ctx, b.session.Key(), n.Plan, n.Texts, n.Answered...); err != nil {
		if errors.Is(err, store.ErrChanged) {
			b.follower.missed()
		}
		return nil, err
	}
	return tx.holdNew(ctx, n, before, events...)
}

// BeginStaging marks a plan to which a turn may add operations while the user can decide on it.
func (b *Board) BeginStaging(h *Held) {
	b.with(h, func(_ *table, e *entry) { e.staging = true })
}

// EndStaging ends that with the turn. What was held back until then is due with the next
// Announce.
func (b *Board) EndStaging(h *Held) {
	b.with(h, func(_ *table, e *entry) {
		e.staging, e.due, e.later = false, append(e.due, e.later...), nil
	})
}

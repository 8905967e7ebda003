package board

import (
	"context"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/readahead"
	"redline/agent/refusal"
	"redline/agent/view"
)

// Tx is a transaction on a plan, which it locks: only who has one can give the plan another
// value, so whatever needs the plan locked is a method of Tx. Nobody else changes the plan until
// Unlock. So decisions on the same plan come one after the other, and those on different plans do
// not wait for each other. The text under the plan can change meanwhile: the user goes on typing.
//
// Lock a plan before the table. While you have a plan locked you may wait for the lock of a newer
// plan, never of an older one, and must not call what locks this plan itself.
type Tx struct {
	b      *Board
	Held   *Held // nil for a plan that the session does not hold yet
	unlock func()
}

// Unlock ends the transaction. What it has stored stays.
func (tx *Tx) Unlock() { tx.unlock() }

// Ready refuses an event that is not possible now, or while something is being carried out.
func (tx *Tx) Ready(e plan.Event) error { return tx.b.Ready(tx.Held, e) }

// Ready is [Tx.Ready] for a plan that need not be locked: the answer may be out of date at
// once.
func (b *Board) Ready(h *Held, e plan.Event) error {
	t := b.lock()
	defer t.unlock()
	if held := t.of(h); held.execution != nil {
		return held.busy()
	}
	if _, err := h.Plan().State.Next(e); err != nil {
		return refusal.New(refusal.WrongState, "Plan %d: %s", h.Number(), err)
	}
	return nil
}

// Executing reports whether an approval, an undo or a command of the plan is being carried out.
func (tx *Tx) Executing() bool { return tx.b.peek(tx.Held).execution != nil }

// Look reads the plan's files that no editor shows and returns the plan's view, with what was
// read.
func (tx *Tx) Look() (*view.Plan, *readahead.Files) {
	t, l := tx.b.lockReadAll(tx.Held)
	defer t.unlock()
	t.placeClosed(l, t.of(tx.Held))
	return t.planView(t.of(tx.Held)), l
}

// Staging reports whether a turn may still add operations to the plan.
func (tx *Tx) Staging() bool { return tx.b.peek(tx.Held).staging }

// Save stores next, with the record of the decision that led to it, nil for none, and makes it
// the plan's value. The events are those that next went over.
func (tx *Tx) Save(ctx context.Context, next *plan.Plan, d *plan.Decision, events ...plan.Event) error {
	if err := tx.b.store.Save(ctx, tx.b.session.Key(), next, d); err != nil {
		return tx.b.StoreError(next.Number, err)
	}
	tx.swap(next, events...)
	return nil
}

// AddRevision stores next, which has a further revision of the user's, to which the events have
// led, with those of its texts that are new. It returns the plan that the session holds then.
//
// It is not [Tx.Revise], which is for a turn's revision: a turn works in the workspace folders of
// now, so Revise notes these in the plan. A user's revision has the paths of the one before it,
// and so must keep the folders that those were made for.
func (tx *Tx) AddRevision(ctx context.Context, next *plan.Plan, texts map[plan.Blob]string, events ...plan.Event) (*Held, error) {
	before := tx.Held.Plan().State
	if err := tx.b.store.AddRevision(ctx, tx.b.session.Key(), next, texts); err != nil {
		return nil, tx.b.StoreError(next.Number, err)
	}
	return tx.holdNew(ctx, NewRevision{Plan: next, Staging: tx.Staging()}, before, events...)
}

// Reread takes the store's value of the plan, after the plan was found to differ from what was
// shown: that is what the user reviews next.
func (tx *Tx) Reread(ctx context.Context) {
	p, err := tx.b.store.Plan(ctx, tx.b.session.Key(), tx.Held.Number())
	if err == nil {
		_, err = tx.hold(ctx, p)
	}
	if err != nil {
		tx.b.follower.missed()
		tx.b.log.Error("a plan that was changed could not be read again", zap.Int("plan", tx.Held.Number()), zap.Error(err))
	}
}

// swap makes next, to which the events have led, the plan's value.
func (tx *Tx) swap(next *plan.Plan, events ...plan.Event) {
	b, h := tx.b, tx.Held
	was, before := h.Plan(), h.Plan().State
	t, l := b.lockWith(func(t *table) (files []readahead.Paths) {
		for _, f := range t.of(h).files {
			if f.decidedBetween(was, next) {
				files = append(files, pathsOf(f.Change))
			}
		}
		return files
	})
	defer t.unlock()
	e := t.of(h)
	r, _ := next.Revision(h.Revision().Number)
	e.set(next, r)
	for _, f := range e.files {
		if f.decidedBetween(was, next) {
			f.place(l, next)
		}
	}
	t.changed(e)
	t.applyEffects(e, before, events...)
	b.hooks.WakeCommands()
}

// Lock waits until nobody else has locked the plan and locks it. A nil plan, one that is not
// created yet, has no lock.
func (b *Board) Lock(h *Held) *Tx {
	if h == nil {
		return &Tx{b: b, unlock: func() {}}
	}
	tx := b.lockNumber(h.Number())
	tx.Held = h
	return tx
}

// lockNumber is Lock for a plan that the session may not hold yet.
func (b *Board) lockNumber(number int) *Tx {
	lock := b.planLocks.of(number)
	lock.Lock()
	return &Tx{b: b, unlock: lock.Unlock}
}

// tryLock is lockNumber that does not wait: ok is false if somebody else has locked the plan.
func (b *Board) tryLock(number int) (tx *Tx, ok bool) {
	lock := b.planLocks.of(number)
	return &Tx{b: b, unlock: lock.Unlock}, lock.TryLock()
}

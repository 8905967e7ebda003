package board

import (
	"context"
	"errors"
	"sync"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/store"
	"redline/agent/view"
)

// Tx is a transaction that has locked a plan. Only its holder can change the plan's value, so
// whatever needs the plan locked is a method of Tx. Nobody else changes the plan until Unlock:
// decisions on the same plan come one after the other, and those on different plans do not wait
// for each other. The text under the plan can still change: the user keeps typing.
//
// Lock a plan before the table. While you have a plan locked you may wait for the lock of a
// newer plan, never of an older one, and must not call a function that locks this plan itself.
type Tx struct {
	b      *Board
	Held   *Held // nil if the session does not hold the plan yet
	unlock func()
}

// planLocks has a lock for each plan, by number. The session need not hold the plan.
type planLocks struct {
	b        *Board
	byNumber sync.Map // number to *sync.Mutex
}

func (l *planLocks) of(number int) *sync.Mutex {
	lock, _ := l.byNumber.LoadOrStore(number, new(sync.Mutex))
	return lock.(*sync.Mutex)
}

// lockNumber does what [Board.Lock] does, for a plan that the session may not hold yet.
func (l *planLocks) lockNumber(number int) *Tx {
	lock := l.of(number)
	lock.Lock()
	return &Tx{b: l.b, unlock: lock.Unlock}
}

// tryLock does what lockNumber does without waiting: ok is false if the plan is already locked.
func (l *planLocks) tryLock(number int) (tx *Tx, ok bool) {
	lock := l.of(number)
	return &Tx{b: l.b, unlock: lock.Unlock}, lock.TryLock()
}

// Lock waits until the plan is unlocked, and locks it.
func (b *Board) Lock(h *Held) *Tx {
	tx := b.lockNumber(h.Number())
	tx.Held = h
	return tx
}

// Unlock ends the transaction. What it has stored stays.
func (tx *Tx) Unlock() { tx.unlock() }

// Ready refuses a request if its event is not possible now, if the plan is being carried out, or
// if the plan has changed since it was shown.
func (tx *Tx) Ready(e plan.Event, d view.Request) error {
	t := tx.b.lock()
	defer t.unlock()
	if h := t.of(tx.Held); h.execution != nil {
		return h.busy()
	}
	if _, err := tx.Held.Plan().State.Next(e); err != nil {
		return plan.Refuse(plan.WrongState, "Plan %d: %s", tx.Held.Number(), err)
	}
	return d.Binds(tx.Held.Now())
}

// Executing reports whether an approval, an undo or a command of the plan is being carried out.
func (tx *Tx) Executing() bool { return tx.b.peek(tx.Held).execution != nil }

// Look returns the view of a plan that is [Tx.Ready]. It reads those of the plan's files that no
// editor shows, and returns what it read.
func (tx *Tx) Look(e plan.Event, d view.Request) (*view.Plan, *ReadAhead, error) {
	if err := tx.Ready(e, d); err != nil {
		return nil, nil, err
	}
	v, l := tx.See()
	return v, l, nil
}

// See does what [Tx.Look] does, for a plan in any state.
func (tx *Tx) See() (*view.Plan, *ReadAhead) {
	t, l := tx.b.lockReadAll(tx.Held)
	defer t.unlock()
	t.placeClosed(l, t.of(tx.Held))
	return t.planView(t.of(tx.Held)), l
}

// Staging reports whether a turn may still add operations to the plan.
func (tx *Tx) Staging() bool { return tx.b.peek(tx.Held).staging }

// Save stores next, with the record of the decision that led to it (nil for none), and makes it
// the plan's value. The events are those that led to next.
func (tx *Tx) Save(ctx context.Context, next *plan.Plan, d *plan.Decision, events ...plan.Event) error {
	if err := tx.b.store.Save(ctx, tx.b.session.Key(), next, d); err != nil {
		return tx.b.StoreError(next.Number, err)
	}
	tx.swap(next, events...)
	return nil
}

// Reread takes the store's value of the plan, after the plan was found to differ from what was
// shown. The user reviews that value next.
func (tx *Tx) Reread(ctx context.Context) {
	p, err := tx.b.store.Plan(ctx, tx.b.session.Key(), tx.Held.Number())
	if err == nil {
		_, err = tx.hold(ctx, p, nil)
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
	t, l := b.lockWith(func(t *table) (files []Paths) {
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

// StoreError returns err, unless err means that another process was faster: then it returns a
// refusal and makes the next Refresh read the plan again.
func (b *Board) StoreError(n int, err error) error {
	if !errors.Is(err, store.ErrChanged) {
		return err
	}
	b.follower.missed()
	return plan.Refuse(plan.Busy, "Plan %d was changed by another Redline meanwhile: look at it again.", n)
}

// Executing reports whether any plan is being carried out.
func (b *Board) Executing() bool {
	t := b.lock()
	defer t.unlock()
	for _, h := range t.plans {
		if h.execution != nil {
			return true
		}
	}
	return false
}

// CloseDecided closes a plan once all its parts are decided. A turn in stepwise mode keeps such a
// plan open until the turn ends, since it may stage more.
func (b *Board) CloseDecided(ctx context.Context, h *Held) error {
	tx := b.Lock(h)
	defer tx.Unlock()
	e := b.peek(h)
	r, next, busy := h.Revision(), h.Plan().Clone(), e.execution != nil || e.staging
	if s := next.State; busy || len(r.Operations) == 0 || s != plan.AwaitingApproval && s != plan.Reviewing || !next.Undecided(r).None() {
		return nil
	}
	event, _ := next.AfterReject(r)
	if err := next.Apply(event); err != nil {
		return err
	}
	next.Updated = b.now().UTC()
	return tx.Save(ctx, next, nil, event)
}

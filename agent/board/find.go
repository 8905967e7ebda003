package board

import (
	"context"
	"errors"
	"fmt"

	"redline/agent/refusal"
	"redline/agent/store"
)

// Find returns a plan of this workspace, from the session or the store.
func (b *Board) Find(ctx context.Context, n int) (h *Held, err error) {
	if err := b.Refresh(ctx); err != nil {
		return nil, err
	}
	if h = b.Held(n); h == nil {
		if h, err = b.fetch(ctx, n); err != nil {
			return nil, err
		}
	}
	settled, found := b.reconcileLogged(ctx, h, b.closedUnsaved(h)), b.SeekGone(ctx, h)
	if b.takeOver(ctx, h) || settled || found {
		b.Announce(h, "") // whoever asked gets the new state anyway, the screen does not
	}
	return h, nil
}

// fetch reads a plan from the store and holds it.
func (b *Board) fetch(ctx context.Context, n int) (*Held, error) {
	tx := b.lockNumber(n)
	defer tx.Unlock()
	p, err := b.stored(ctx, n)
	if err != nil {
		return nil, NoSuchPlan(n, err)
	}
	h, err := tx.hold(ctx, p)
	if err != nil && cannotBeRead(err) {
		b.notRead(p, err)
		return nil, refuseUnreadable(b.UnreadablePlan(n))
	}
	return h, err
}

// StoreError turns the store's error that another process was faster into a refusal, and has the
// next Refresh read the plan again.
func (b *Board) StoreError(n int, err error) error {
	if !errors.Is(err, store.ErrChanged) {
		return err
	}
	b.follower.missed()
	return refusal.New(refusal.Busy, "Plan %d was changed by another Redline meanwhile: look at it again.", n)
}

// Held returns a plan that the session holds, nil for none. It does not ask the store.
func (b *Board) Held(number int) *Held {
	t := b.lock()
	defer t.unlock()
	return t.held(number)
}

// Executing reports whether an execution of any plan is under way.
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

// NoSuchPlan turns the store's error for a missing plan into a refusal.
func NoSuchPlan(n int, err error) error {
	if errors.Is(err, store.ErrNoSuchPlan) {
		return refusal.New(refusal.NoSuchPlan, "There is no plan %d in this workspace: `redline plans list` shows the plans.", n)
	}
	return fmt.Errorf("plan %d could not be read: %w", n, err)
}

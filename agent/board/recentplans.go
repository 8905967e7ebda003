package board

import (
	"context"
	"slices"

	"redline/agent/store"
)

// recent caches closed plans, so that `redline.state` reads nothing from the store while
// nobody has written to it.
type recent struct {
	plans []*Held // the closed ones among the newest of the workspace; nil: read them
	count int     // counts the times that they became out of date
}

// forgetRecent empties the cache of closed plans.
func (t *table) forgetRecent() { t.recent = recent{count: t.recent.count + 1} }

// recentlyListed returns the plans that `redline.state` lists without all: the open ones and the newest. It
// reads those that the session does not hold from the store. Call Refresh before.
func (b *Board) recentlyListed(ctx context.Context) ([]*Held, error) {
	t := b.lock()
	closed, count := t.recent.plans, t.recent.count
	t.unlock()
	if closed == nil {
		var err error
		if closed, err = b.readRecent(ctx); err != nil {
			return nil, err
		}
		t = b.lock()
		if t.recent.count == count {
			t.recent.plans = closed
		}
		t.unlock()
	}
	t = b.lock()
	defer t.unlock()
	all := make([]*Held, 0, len(t.plans)+len(closed))
	for _, h := range t.plans {
		all = append(all, h.Held)
	}
	for _, h := range closed {
		if t.plans[h.Plan().Number] == nil {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(x, y *Held) int { return x.Plan().Number - y.Plan().Number })
	older := max(0, len(all)-recentPlans)
	return slices.Concat(slices.DeleteFunc(all[:older:older], func(h *Held) bool { return !h.Plan().State.Open() }), all[older:]), nil
}

// readRecent reads the newest plans from the store, and returns the closed ones.
func (b *Board) readRecent(ctx context.Context) ([]*Held, error) {
	stored, err := b.store.Plans(ctx, b.session.Key(), store.Filter{Limit: recentPlans, Unreadable: true})
	if err != nil {
		return nil, err
	}
	closed := []*Held{}
	for _, p := range stored {
		if p.State.Open() {
			continue // it is one of the session's
		}
		t := b.lock()
		held := t.plans[p.Number]
		t.unlock()
		if held != nil {
			b.follower.tryRenew(ctx, p) // another process may have rated it
			continue
		}
		h, err := b.readToShow(ctx, p)
		if err != nil {
			b.notRead(p, err)
			continue
		}
		closed = append(closed, h)
	}
	return closed, nil
}

package board

import (
	"context"
	"slices"

	"redline/agent/store"
)

// recent caches closed plans, so that `redline.state` reads nothing from the store while
// nobody has written to it.
type recent struct {
	plans []*Held // the closed ones among the newest of the workspace, not nil once they were read
	count int     // counts the times that they became out of date
}

// forgetRecent empties the cache of closed plans.
func (t *table) forgetRecent() { t.recent = recent{count: t.recent.count + 1} }

// recentlyListed returns the plans that `redline.state` lists without all: the open ones and the
// newest. It reads those that the session does not hold from the store. Call Refresh before.
func (b *Board) recentlyListed(ctx context.Context) ([]*Held, error) {
	t := b.lock()
	closed, count := t.recent.plans, t.recent.count
	t.unlock()
	if closed == nil {
		newest, err := b.readPlans(ctx, store.Filter{Limit: recentPlans, Unreadable: true})
		if err != nil {
			return nil, err
		}
		closed = slices.DeleteFunc(newest, func(h *Held) bool { return h.Plan().State.Open() })
		t = b.lock()
		if t.recent.count == count {
			t.recent.plans = closed
		}
		t.unlock()
	}
	all := b.Plans("")
	for _, h := range closed {
		if !slices.ContainsFunc(all, func(held *Held) bool { return held.Number() == h.Number() }) {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(x, y *Held) int { return x.Number() - y.Number() })
	older := max(0, len(all)-recentPlans)
	return slices.Concat(slices.DeleteFunc(all[:older:older], func(h *Held) bool { return !h.Plan().State.Open() }), all[older:]), nil
}

// readPlans returns plans of the store, the newest first. It takes those from the session that
// this holds, and records which cannot be read.
func (b *Board) readPlans(ctx context.Context, f store.Filter) ([]*Held, error) {
	stored, err := b.store.Plans(ctx, b.session.Key(), f)
	if err != nil {
		return nil, err
	}
	plans := []*Held{}
	for _, p := range stored {
		h := b.Held(p.Number)
		if h != nil {
			b.follower.renew(ctx, p) // another process may have rated it
		} else if h, err = b.readToShow(ctx, p); err != nil {
			b.notRead(p, err)
			continue
		}
		plans = append(plans, h)
	}
	return plans, nil
}

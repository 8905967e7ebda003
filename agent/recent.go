package agent

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/agent/store"
)

// recent are plans that are done and not at hand otherwise, kept so that telling
// the state reads nothing from the store while nobody has written to it.
type recent struct {
	plans []*heldPlan // of the newest of the workspace, those that were closed; nil: to be read
	count int         // counts what made them out of date
}

// forgetRecent has the closed plans read again. The caller holds a.mu.
func (a *Agent) forgetRecent() { a.recent = recent{count: a.recent.count + 1} }

// told returns the plans that the state tells of without all: the open ones,
// and the newest. Those that are not of this session are a reading of the
// store. The caller has brought the session up to date.
func (a *Agent) told(ctx context.Context) ([]*heldPlan, error) {
	a.mu.Lock()
	closed, count := a.recent.plans, a.recent.count
	a.mu.Unlock()
	if closed == nil {
		var err error
		if closed, err = a.readRecent(ctx); err != nil {
			return nil, err
		}
		a.mu.Lock()
		if a.recent.count == count {
			a.recent.plans = closed
		}
		a.mu.Unlock()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	all := make([]*heldPlan, 0, len(a.plans)+len(closed))
	for _, h := range a.plans {
		all = append(all, h)
	}
	for _, h := range closed {
		if a.plans[h.plan.Number] == nil {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(x, y *heldPlan) int { return x.plan.Number - y.plan.Number })
	older := max(0, len(all)-recentPlans)
	return slices.Concat(slices.DeleteFunc(all[:older:older], func(h *heldPlan) bool { return !h.plan.State.Open() }), all[older:]), nil
}

// readRecent reads the newest plans, and keeps those that are done.
func (a *Agent) readRecent(ctx context.Context) ([]*heldPlan, error) {
	stored, err := a.store.Plans(ctx, a.workspaceKey(), store.Filter{Limit: recentPlans, Unreadable: true})
	if err != nil {
		return nil, err
	}
	closed := []*heldPlan{}
	for _, p := range stored {
		if p.State.Open() {
			continue // it is one of the session's
		}
		a.mu.Lock()
		held := a.plans[p.Number]
		a.mu.Unlock()
		if held != nil {
			a.deciding.Lock()
			a.renew(ctx, p) // another process may have rated it
			a.deciding.Unlock()
			continue
		}
		h, err := a.readToTell(ctx, p)
		if err != nil {
			a.notRead(p, err)
			continue
		}
		closed = append(closed, h)
	}
	return closed, nil
}

// glance is lookAgain for telling what is so, not for deciding: a file that no
// editor shows is read again only if it may have changed on disk. A plan that is
// not at hand otherwise is followed by nobody: what an editor shows of it is
// looked at each time. The caller holds a.mu.
func (a *Agent) glance(h *heldPlan) {
	followed := a.plans[h.plan.Number] == h
	for _, f := range h.files {
		path := f.livePath(h.plan)
		_, open := a.ws.Buffer(path)
		update := f.change.Action == plan.Update
		switch {
		case open && !followed:
			a.place(h.plan, f)
			a.changed(h)
		case open && update:
			// It is followed as it changes.
		case open:
			a.lookInTheWay(a.asNow(), h.plan, f)
			a.changed(h)
		default:
			now := a.ws.Stamp(path)
			if update && f.live != nil && f.follows(h.plan) && !now.Differs(f.stamp) {
				continue
			}
			a.place(h.plan, f)
			f.stamp = now
			a.changed(h)
		}
	}
}

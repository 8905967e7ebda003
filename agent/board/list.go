package board

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/workspace"
)

// recentPlans is how many plans `redline.state` lists besides the open ones.
const recentPlans = 20

// PlanStates returns the plans of the workspace as clients see them, by number: every plan if all
// is true, else the open ones and the last 20.
func (b *Board) PlanStates(ctx context.Context, all bool) ([]state.Plan, error) {
	if err := b.Follower.Refresh(ctx); err != nil {
		return nil, err
	}
	var plans []*Held
	var err error
	if all {
		plans, err = b.Follower.readPlans(ctx, store.Filter{Unreadable: true})
	} else {
		plans, err = b.recentlyListed(ctx)
	}
	if err != nil {
		return nil, err
	}
	states := []state.Plan{}
	for _, h := range plans {
		if mayBeOff(h.Plan()) {
			var e evidence
			b.with(h, func(_ *table, held *entry) { e = held.leftBehind() })
			if b.Reconciler.tryReconcile(ctx, h, e) {
				b.Announce(h, "")
			}
		}
		recall(ctx, b, h)
		t := b.lockGlance(h)
		states = append(states, t.planState(t.of(h)))
		t.unlock()
	}
	t := b.lock()
	defer t.unlock()
	for _, p := range t.broken {
		if all || p.State.Open() {
			states = append(states, UnreadableState(p))
		}
	}
	slices.SortStableFunc(states, func(x, y state.Plan) int { return x.Plan - y.Plan })
	return states, nil
}

// recent caches closed plans, so that `redline.state` reads nothing from the store while nobody
// writes to it.
type recent struct {
	plans []*Held // the closed plans among the newest of the workspace; not nil once read
	count int     // counts how often they became out of date
}

// forgetRecent empties the cache of closed plans.
func (t *table) forgetRecent() { t.recent = recent{count: t.recent.count + 1} }

// recentlyListed returns the plans that `redline.state` lists without all: the open ones and the
// newest. It reads plans that the session does not hold from the store. Call Refresh first.
func (b *Board) recentlyListed(ctx context.Context) ([]*Held, error) {
	t := b.lock()
	closed, count := t.recent.plans, t.recent.count
	t.unlock()
	if closed == nil {
		newest, err := b.Follower.readPlans(ctx, store.Filter{Limit: recentPlans, Unreadable: true})
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

// lockGlance updates what is shown of a plan and locks the table. Use it for showing, not for
// deciding: it reads a file that no editor shows only if its stamp has changed. The hunks of a
// plan that the session does not hold are not followed, so it places them in open files each
// time.
func (k *tableLock) lockGlance(h *Held) *table {
	stamps := map[string]workspace.Stamp{} // stamps of files that no editor shows
	for _, c := range h.Revision().Changes {
		for _, path := range []string{c.Path, c.NewPath} {
			if _, open := k.ws.Buffer(path); !open && path != "" {
				stamps[path] = k.ws.Stamp(path)
			}
		}
	}
	var do []glance
	t, l := k.lockWith(nil, func(t *table) (files []Paths) {
		do = t.glances(t.of(h), stamps)
		for _, g := range do {
			files = append(files, pathsOf(g.file.Change))
		}
		return files
	})
	for _, g := range do {
		if g.place {
			g.file.place(l, h.Plan())
			g.file.stamp = g.stamp
		} else {
			g.file.lookInTheWay(l, h.Plan())
		}
		t.changed(t.of(h))
	}
	return t
}

// glance is what lockGlance has to do for one file.
type glance struct {
	file  *heldFile
	place bool            // otherwise its hunks are followed, and only what is in its way is updated
	stamp workspace.Stamp // the stamp of the file on disk; zero if an editor shows it, or has just closed it
}

// glances lists the work of lockGlance.
func (t *table) glances(h *entry, stamps map[string]workspace.Stamp) (do []glance) {
	followed := t.plans[h.Number()] == h
	for _, f := range h.files {
		path := f.PathIn(h.Plan())
		update := f.Change.Action == plan.Update
		if _, open := t.ws.Buffer(path); open {
			if !followed || !update {
				do = append(do, glance{file: f, place: !followed})
			}
		} else if now := stamps[path]; !update || f.Live == nil || !f.follows(h.Plan()) || now.Differs(f.stamp) {
			do = append(do, glance{file: f, place: true, stamp: now})
		}
	}
	return do
}

// UnreadablePlan returns a plan that cannot be read, nil if there is none.
func (b *Board) UnreadablePlan(n int) *plan.Plan {
	t := b.lock()
	defer t.unlock()
	return t.broken[n]
}

// refuseUnreadable returns the refusal of every decision on an unreadable plan except its
// rejection.
func refuseUnreadable(p *plan.Plan) error {
	return plan.Refuse(plan.WrongState, "Plan %d cannot be read (%s). Reject it, or restore the plan database from a copy.", p.Number, p.Unreadable)
}

// UnreadableState returns an unreadable plan in the form that clients see: its goal, its state,
// and why there is nothing else.
func UnreadableState(p *plan.Plan) state.Plan {
	s := emptyState(p)
	s.Description = refuseUnreadable(p).Error()
	return s
}

// Discard stores the decision to cancel a plan that cannot be read, and returns the plan.
func (b *Board) Discard(ctx context.Context, p *plan.Plan, d *plan.Decision) (*plan.Plan, error) {
	tx := b.lockNumber(p.Number)
	defer tx.Unlock()
	if err := b.store.Discard(ctx, b.session.Key(), p, d); err != nil {
		return nil, err
	}
	done := *p
	done.State = plan.Cancelled
	t := b.lock()
	defer t.unlock()
	t.broken[p.Number] = &done
	t.snapshot = nil
	return &done, nil
}

package board

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/agent/readahead"
	"redline/agent/store"
	"redline/workspace"
)

// recent caches closed plans, so that `redline.state` reads nothing from the store while
// nobody has written to it.
type recent struct {
	plans []*Held // the closed ones among the newest of the workspace; nil: read them
	count int     // counts the times that they became out of date
}

// forgetRecent empties the cache of closed plans.
func (t *table) forgetRecent() { t.recent = recent{count: t.recent.count + 1} }

// told returns the plans that `redline.state` lists without all: the open ones and the
// newest. Those that the session does not hold come from the store. Call fresh before.
func (b *Board) told(ctx context.Context) ([]*Held, error) {
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

// readRecent reads the newest plans from the store, and returns those that are closed.
func (b *Board) readRecent(ctx context.Context) ([]*Held, error) {
	stored, err := b.store.Plans(ctx, b.workspaceKey(), store.Filter{Limit: recentPlans, Unreadable: true})
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
			b.tryRenew(ctx, p) // another process may have rated it
			continue
		}
		h, err := b.readToTell(ctx, p)
		if err != nil {
			b.notRead(p, err)
			continue
		}
		closed = append(closed, h)
	}
	return closed, nil
}

// lockGlance locks b.mu and updates what is shown of a plan. It is for showing, not for
// deciding: it reads a file that no editor shows only if its stamp has changed. Nobody
// follows a plan that the session does not hold, so it places the open files of such a
// plan each time.
func (b *Board) lockGlance(h *Held) *table {
	stamps := map[string]workspace.Stamp{} // of files that no editor shows
	for {
		var do []glance
		var unknown []string
		t, l := b.lockWith(func(t *table) (files []readahead.Paths) {
			do, unknown = t.glances(t.of(h), stamps)
			for _, g := range do {
				files = append(files, pathsOf(g.file.change))
			}
			return files
		})
		if len(unknown) == 0 {
			for _, g := range do {
				t.glance(l, t.of(h), g)
			}
			return t
		}
		t.unlock()
		for _, path := range unknown {
			stamps[path] = b.ws.Stamp(path)
		}
	}
}

// glance is what lockGlance has to do for one file.
type glance struct {
	file  *heldFile
	place bool            // else its hunks are followed, and only what is in its way is updated
	stamp workspace.Stamp // of the file on disk; the zero Stamp where an editor shows it
}

// glances lists what lockGlance has to do, and the paths whose stamps it needs first.
func (t *table) glances(h *entry, stamps map[string]workspace.Stamp) (do []glance, unknown []string) {
	followed := t.plans[h.Plan().Number] == h
	for _, f := range h.files {
		path := f.livePath(h.Plan())
		update := f.change.Action == plan.Update
		if _, open := t.ws.Buffer(path); open {
			if !followed || !update {
				do = append(do, glance{file: f, place: !followed})
			}
			continue
		}
		now, known := stamps[path]
		switch {
		case !known:
			unknown = append(unknown, path)
		case !(update && f.live != nil && f.follows(h.Plan()) && !now.Differs(f.stamp)):
			do = append(do, glance{file: f, place: true, stamp: now})
		}
	}
	return do, unknown
}

// glance does one of the glances.
func (t *table) glance(l *readahead.Files, h *entry, g glance) {
	if g.place {
		g.file.place(l, h.Plan())
		g.file.stamp = g.stamp
	} else {
		g.file.lookInTheWay(l, h.Plan())
	}
	t.changed(h)
}

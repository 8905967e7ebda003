package board

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/store"
)

// Refresh brings the session's plans up to what the store has: all open ones the
// first time, later what other processes have changed. A plan that cannot be
// read is left out and said in the log. The caller has locked no plan.
func (b *Board) Refresh(ctx context.Context) error {
	if err := b.backlog.Store(ctx); err != nil {
		b.log.Debug("there is still something that could not be stored", zap.Error(err))
	}
	b.catching.Lock()
	news, err := b.catchUp(ctx)
	b.catching.Unlock()
	for _, h := range news {
		b.Announce(h, "")
	}
	return err
}

func (b *Board) catchUp(ctx context.Context) (news []*Held, err error) {
	key := b.workspaceKey()
	first := !b.loaded || b.loadedKey != key
	if first {
		t := b.lock()
		t.plans, t.snapshot = map[int]*entry{}, nil // numbers are a workspace's own
		t.broken = nil
		t.forgetRecent()
		t.unlock()
	}
	changed, err := b.store.Changed(ctx)
	if err != nil {
		return nil, err
	}
	if !first && !changed && !b.behind.Load() {
		return nil, nil
	}
	t := b.lock()
	t.forgetRecent()
	t.unlock()
	open, err := b.store.Open(ctx, key)
	if err != nil {
		b.behind.Store(true)
		return nil, err
	}
	changedOnes, err := b.newer(ctx, key, open, first)
	if err != nil {
		b.behind.Store(true)
		return nil, err
	}
	if err := b.hooks.ReadQuestions(ctx, first); err != nil {
		b.behind.Store(true)
		return nil, err
	}
	b.loaded, b.loadedKey = true, key
	b.behind.Store(false)
	for _, p := range changedOnes {
		if h := b.tryRenew(ctx, p); h != nil && !first {
			news = append(news, h)
		}
	}
	// What is open here and not there any more was decided by somebody else.
	t = b.lock()
	var gone []int
	for n, h := range t.plans {
		if _, still := open[n]; h.Plan().State.Open() && !still {
			gone = append(gone, n)
		}
	}
	t.unlock()
	for _, n := range gone {
		p, err := b.store.Plan(ctx, key, n)
		if broken, ok := errors.AsType[*store.Unreadable](err); ok {
			b.noteUnreadable(broken.Plan, err)
			continue
		}
		if err != nil {
			b.behind.Store(true)
			return news, err
		}
		if h := b.tryRenew(ctx, p); h != nil {
			news = append(news, h)
		}
	}
	return news, nil
}

// newer reads those of the open plans that the store has another value of than
// the session; at first, all of them at once.
func (b *Board) newer(ctx context.Context, key string, open map[int]int, first bool) (plans []*plan.Plan, err error) {
	if first {
		return b.store.Plans(ctx, key, store.Filter{Open: true, Unreadable: true})
	}
	t := b.lock()
	var numbers []int
	for n, version := range open {
		if h := t.plans[n]; h == nil || h.Plan().Version < version {
			numbers = append(numbers, n)
		}
	}
	t.unlock()
	slices.Sort(numbers)
	for _, n := range numbers {
		p, err := b.store.Plan(ctx, key, n)
		if broken, ok := errors.AsType[*store.Unreadable](err); ok {
			p, err = broken.Plan, nil
		}
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// tryRenew calls renew unless somebody is changing the plan; then the next catchUp looks at
// it again.
func (b *Board) tryRenew(ctx context.Context, p *plan.Plan) *Held {
	tx, ok := b.tryLock(p.Number)
	if !ok {
		b.behind.Store(true)
		return nil
	}
	defer tx.Unlock()
	return tx.renew(ctx, p)
}

// renew takes a newer value of a plan, unless this session is working on it;
// then it is looked for again later. It returns the plan if it has changed.
func (tx *Tx) renew(ctx context.Context, p *plan.Plan) *Held {
	b := tx.b
	t := b.lock()
	e := t.plans[p.Number]
	working := e != nil && (e.execution != nil || e.Plan().State == plan.Drafting || b.backlog.Has(p.Number))
	known := e != nil && e.Plan().Version >= p.Version
	t.unlock()
	switch {
	case known:
		return nil
	case working:
		b.behind.Store(true)
		return nil
	}
	h, err := tx.hold(ctx, p)
	if err != nil {
		b.notRead(p, err)
		return nil
	}
	t = b.lock()
	defer t.unlock()
	if thread := t.threads[p.Conversation]; thread != nil {
		thread.news++
	}
	b.reconcileUnsavedLater(t, t.of(h))
	return h
}

// adding keeps catchUp from finding a plan in the store before whoever creates it holds it,
// until done is called. You may have locked a plan: catchUp waits for no plan's lock.
func (b *Board) adding() (done func()) {
	b.catching.Lock()
	return b.catching.Unlock
}

// Watch follows what other processes do with the plans of the workspace and
// with the files that these are about, and announces it, until ctx is done.
func (b *Board) Watch(ctx context.Context, every time.Duration) {
	b.session.Every(ctx, every, func() {
		if err := b.Refresh(ctx); err != nil && ctx.Err() == nil {
			b.log.Warn("the plans could not be read again", zap.Error(err))
		}
		b.tellUnsaved(true)
		b.LookOnDisk(ctx, false)
	})
}

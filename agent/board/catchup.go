package board

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/store"
)

// follower brings the board up to what other processes have stored.
type follower struct {
	b       *Board
	missing atomic.Bool // the store has something newer that was not taken yet

	mu     sync.Mutex // held while the store is read; guards the next two
	loaded bool       // the store's open plans have been read
	key    string     // of the workspace that they are of
}

// Refresh brings the session's plans up to what the store has: all open ones the first time,
// later what other processes have changed. It leaves out a plan that cannot be read, and logs
// that. Do not call it with a plan locked.
func (b *Board) Refresh(ctx context.Context) error {
	if err := b.backlog.Store(ctx); err != nil {
		b.log.Debug("there is still something that could not be stored", zap.Error(err))
	}
	news, err := b.follower.catchUp(ctx)
	for _, h := range news {
		b.Announce(h, "")
	}
	return err
}

// missed has the next catchUp read the store, even if nobody has written to it since.
func (f *follower) missed() { f.missing.Store(true) }

// pause keeps catchUp from finding a plan in the store before whoever creates it holds it, until
// done is called. You may have locked a plan: catchUp waits for no plan's lock.
func (f *follower) pause() (done func()) {
	f.mu.Lock()
	return f.mu.Unlock
}

// catchUp takes what is new in the store, and returns the plans that have changed by that.
func (f *follower) catchUp(ctx context.Context) (news []*Held, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := f.b.session.Key()
	first := !f.loaded || f.key != key
	if first {
		t := f.b.lock()
		t.clear()
		t.unlock()
	}
	changed, err := f.b.store.Changed(ctx)
	if err != nil {
		return nil, err
	}
	if !first && !changed && !f.missing.Load() {
		return nil, nil
	}
	open, newer, err := f.read(ctx, key, first)
	if err != nil {
		f.missed()
		return nil, err
	}
	f.loaded, f.key = true, key
	f.missing.Store(false)
	for _, p := range newer {
		if h := f.tryRenew(ctx, p); h != nil && !first {
			news = append(news, h)
		}
	}
	closed, err := f.renewClosed(ctx, key, open)
	return append(news, closed...), err
}

// read returns the versions of the plans that are open in the store, and those plans that are
// newer there. It also reads the questions that wait for an answer.
func (f *follower) read(ctx context.Context, key string, first bool) (open map[int]int, newer []*plan.Plan, err error) {
	t := f.b.lock()
	t.forgetRecent()
	t.unlock()
	if open, err = f.b.store.Open(ctx, key); err != nil {
		return nil, nil, err
	}
	if newer, err = f.newer(ctx, key, open, first); err != nil {
		return nil, nil, err
	}
	return open, newer, f.b.hooks.ReadQuestions(ctx, first)
}

// renewClosed renews the plans that are open here and not in the store: somebody else has decided
// on them.
func (f *follower) renewClosed(ctx context.Context, key string, open map[int]int) (news []*Held, err error) {
	t := f.b.lock()
	var gone []int
	for n, h := range t.plans {
		if _, still := open[n]; h.Plan().State.Open() && !still {
			gone = append(gone, n)
		}
	}
	t.unlock()
	for _, n := range gone {
		p, err := f.b.store.Plan(ctx, key, n)
		if broken, ok := errors.AsType[*store.Unreadable](err); ok {
			f.b.noteUnreadable(broken.Plan, err)
			continue
		}
		if err != nil {
			f.missed()
			return news, err
		}
		if h := f.tryRenew(ctx, p); h != nil {
			news = append(news, h)
		}
	}
	return news, nil
}

// newer reads the open plans that have changed in the store since the session read them; the
// first time, all open plans.
func (f *follower) newer(ctx context.Context, key string, open map[int]int, first bool) (plans []*plan.Plan, err error) {
	if first {
		return f.b.store.Plans(ctx, key, store.Filter{Open: true, Unreadable: true})
	}
	t := f.b.lock()
	var numbers []int
	for n, version := range open {
		if h := t.plans[n]; h == nil || h.Plan().Version < version {
			numbers = append(numbers, n)
		}
	}
	t.unlock()
	slices.Sort(numbers)
	for _, n := range numbers {
		p, err := f.b.store.Plan(ctx, key, n)
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

// tryRenew calls renew unless somebody is changing the plan; then the next catchUp tries again.
func (f *follower) tryRenew(ctx context.Context, p *plan.Plan) *Held {
	tx, ok := f.b.tryLock(p.Number)
	if !ok {
		f.missed()
		return nil
	}
	defer tx.Unlock()
	return tx.renew(ctx, p)
}

// renew takes a newer value of a plan, unless this session is working on it; then the next
// catchUp tries again. It returns the plan if it has changed.
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
		b.follower.missed()
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

// Watch follows the changes that other processes make to the plans of the workspace and to their
// files, and announces them, until ctx is done.
func (b *Board) Watch(ctx context.Context, every time.Duration) {
	b.session.Every(ctx, every, func() {
		if err := b.Refresh(ctx); err != nil && ctx.Err() == nil {
			b.log.Warn("the plans could not be read again", zap.Error(err))
		}
		b.presence.Publish(true)
		b.LookOnDisk(ctx, false)
	})
}

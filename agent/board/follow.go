package board

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/store"
)

// Follower updates the board with what other processes have stored.
type Follower struct {
	b       *Board
	missing atomic.Bool // the store has changes that were not read yet

	mu     sync.Mutex // locked while the store is read; guards the next two
	loaded bool       // the store's open plans have been read
	key    string     // the workspace of those plans
}

// Refresh updates the session's plans from the store: the first time it reads all open plans,
// later those that other processes have changed. It logs and leaves out a plan that cannot be
// read. Do not call it with a plan locked.
func (f *Follower) Refresh(ctx context.Context) error {
	b := f.b
	if err := b.backlog.Store(ctx); err != nil {
		b.log.Debug("there is still something that could not be stored", zap.Error(err))
	}
	news, err := f.catchUp(ctx)
	for _, h := range slices.Backward(news) {
		b.Announce(h, "")
	}
	return err
}

// missed makes the next catchUp read the store, even if nobody has written to it since.
func (f *Follower) missed() { f.missing.Store(true) }

// pause keeps catchUp from finding a new plan in the store before its creator holds it, until
// done is called. You may have locked a plan: catchUp waits for no plan's lock.
func (f *Follower) pause() (done func()) {
	f.mu.Lock()
	return f.mu.Unlock
}

// catchUp reads what is new in the store, and returns the plans that have changed, newest first.
func (f *Follower) catchUp(ctx context.Context) (news []*Held, err error) {
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
	t := f.b.lock()
	t.forgetRecent()
	t.unlock()
	newer, err := f.read(ctx, first)
	if err != nil {
		f.missed()
		return nil, err
	}
	f.loaded, f.key = true, key
	f.missing.Store(false)
	for _, p := range newer {
		if h := f.renew(ctx, p); h != nil && !first {
			news = append(news, h)
		}
	}
	return news, nil
}

// read reads the plans that differ between the store and the session, newest first, and the questions that
// wait for an answer. The first time it reads all open plans at once.
func (f *Follower) read(ctx context.Context, first bool) (plans []*plan.Plan, err error) {
	b := f.b
	var numbers []int
	if first {
		plans, err = b.store.Plans(ctx, b.session.Key(), store.Filter{Open: true, Unreadable: true})
	} else {
		numbers, err = f.outdated(ctx)
	}
	if err != nil {
		return nil, err
	}
	for _, n := range numbers {
		p, err := f.stored(ctx, n)
		switch {
		case errors.Is(err, store.ErrNoSuchPlan): // another process has decided on it and deleted it
			t := b.lock()
			t.forgetHeld(n)
			t.unlock()
		case err != nil:
			return nil, err
		default:
			plans = append(plans, p)
		}
	}
	return plans, b.hooks.ReadQuestions(ctx, first)
}

// outdated lists the plans that are newer in the store, and those that are open here but not
// there, because another process has decided on them, newest first.
func (f *Follower) outdated(ctx context.Context) (numbers []int, err error) {
	open, err := f.b.store.Open(ctx, f.b.session.Key())
	if err != nil {
		return nil, err
	}
	t := f.b.lock()
	defer t.unlock()
	for n, version := range open {
		if h := t.plans[n]; h == nil || h.Plan().Version < version {
			numbers = append(numbers, n)
		}
	}
	for n, h := range t.plans {
		if _, still := open[n]; h.Plan().State.Open() && !still {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	slices.Reverse(numbers)
	return numbers, nil
}

// stored reads a plan from the store. If part of it cannot be read, its field Unreadable says so.
func (f *Follower) stored(ctx context.Context, n int) (*plan.Plan, error) {
	p, err := f.b.store.Plan(ctx, f.b.session.Key(), n)
	if broken, ok := errors.AsType[*store.Unreadable](err); ok {
		return broken.Plan, nil
	}
	return p, err
}

// renew takes a newer value of a plan, unless someone is changing the plan or this session is
// working on it; then the next catchUp tries again. It returns the plan if it has changed.
func (f *Follower) renew(ctx context.Context, p *plan.Plan) *Held {
	b := f.b
	tx, ok := b.tryLock(p.Number)
	if !ok {
		f.missed()
		return nil
	}
	defer tx.Unlock()
	t := b.lock()
	e := t.plans[p.Number]
	working := e != nil && (e.execution != nil || e.Plan().State == plan.Drafting || b.backlog.Has(p.Number))
	known := e != nil && e.Plan().Version >= p.Version && p.Unreadable == ""
	t.unlock()
	switch {
	case known:
		return nil
	case working:
		f.missed()
		return nil
	}
	h, err := tx.hold(ctx, p, nil)
	if err != nil {
		f.notRead(p, err)
		return nil
	}
	t = b.lock()
	defer t.unlock()
	if thread := t.threads[p.Conversation]; thread != nil {
		thread.news++
		if e == nil { // its conversation was begun before this session knew the plan
			thread.plan = cmp.Or(thread.plan, t.undecided(p.Conversation))
		}
	}
	b.Reconciler.unsavedLater(t.of(h))
	return h
}

// Watch follows the changes that other processes make to the plans of the workspace and to their
// files, and announces them, until ctx is done.
func (f *Follower) Watch(ctx context.Context, every time.Duration) {
	b := f.b
	b.session.Every(ctx, every, func() {
		if err := f.Refresh(ctx); err != nil && ctx.Err() == nil {
			b.log.Warn("the plans could not be read again", zap.Error(err))
		}
		b.presence.Publish(true)
		b.Disk.Look(ctx, false)
	})
}

// Recover reads the open plans of the workspace from the store, settles what an earlier session
// left unfinished, and announces the plans. It changes no file.
func (f *Follower) Recover(ctx context.Context) error {
	b := f.b
	if err := f.Refresh(ctx); err != nil {
		return err
	}
	if err := f.holdUnsettled(ctx); err != nil {
		return err
	}
	for _, h := range b.Plans("") {
		b.with(h, func(_ *table, e *entry) { e.looked = true })
		if _, err := b.Reconciler.reconcile(ctx, h, evidence{asked: true, restarted: true, commands: true, all: true}); err != nil {
			return err
		}
		if err := b.CloseDecided(ctx, h); err != nil { // a turn that could have added more was cut off
			return err
		}
		recall(ctx, b, h)
		b.Announce(h, "")
	}
	return nil
}

// holdUnsettled makes the session hold the closed plans whose record may be out of date: an undo
// was cut off, or an applied change was never saved.
func (f *Follower) holdUnsettled(ctx context.Context) error {
	b := f.b
	recent, err := b.store.Plans(ctx, b.session.Key(), store.Filter{Limit: recentPlans})
	if err != nil {
		return err
	}
	for _, p := range recent {
		if !mayBeOff(p) || p.State.Open() {
			continue
		}
		if _, err := f.holdLocked(ctx, p); err != nil {
			f.notRead(p, err)
		}
	}
	return nil
}

// mayBeOff reports whether the record of a plan may be out of date although nobody works on it:
// edits were sent to an editor, or not saved.
func mayBeOff(p *plan.Plan) bool {
	if p.State == plan.Executing {
		return true
	}
	for _, m := range p.Progress.Files {
		if m.Sent != nil || m.Unsaved {
			return true
		}
	}
	for _, m := range p.Progress.Commands {
		if m.Status == plan.CommandRunning || m.Status == plan.CommandWaitingForSave {
			return true
		}
	}
	return false
}

// fetch reads a plan from the store and holds it.
func (f *Follower) fetch(ctx context.Context, n int) (*Held, error) {
	b := f.b
	tx := b.lockNumber(n)
	defer tx.Unlock()
	p, err := f.stored(ctx, n)
	if err != nil {
		return nil, NoSuchPlan(n, err)
	}
	h, err := tx.hold(ctx, p, nil)
	if err != nil && cannotBeRead(err) {
		f.notRead(p, err)
		return nil, refuseUnreadable(b.UnreadablePlan(n))
	}
	return h, err
}

// holdLocked locks the plan and calls hold.
func (f *Follower) holdLocked(ctx context.Context, p *plan.Plan) (*Held, error) {
	tx := f.b.lockNumber(p.Number)
	defer tx.Unlock()
	return tx.hold(ctx, p, nil)
}

// readPlans returns plans of the store, newest first. It prefers the session's own value of a
// plan, and makes the session hold plans whose record may be out of date. It records plans that
// cannot be read.
func (f *Follower) readPlans(ctx context.Context, which store.Filter) ([]*Held, error) {
	b := f.b
	stored, err := b.store.Plans(ctx, b.session.Key(), which)
	if err != nil {
		return nil, err
	}
	plans := []*Held{}
	for _, p := range stored {
		h, err := b.Held(p.Number), error(nil)
		switch {
		case h != nil:
			if f.renew(ctx, p) != nil { // another process may have rated it
				b.Announce(h, "")
			}
			h = b.Held(p.Number) // nil if it can no longer be read
		case mayBeOff(p):
			h, err = f.holdLocked(ctx, p)
		default:
			h, err = read(ctx, b.store, p, nil)
		}
		if err != nil {
			f.notRead(p, err)
		} else if h != nil {
			plans = append(plans, h)
		}
	}
	return plans, nil
}

// notRead logs why a plan could not be read. If the cause is the plan itself, it also records
// the plan, so that lists show it and the user can reject it.
func (f *Follower) notRead(p *plan.Plan, err error) {
	b := f.b
	broken := *p
	broken.Unreadable = cmp.Or(p.Unreadable, strings.TrimSuffix(err.Error(), "."))
	b.log.Error("a plan could not be read", zap.Int("plan", p.Number), zap.String("error", broken.Unreadable))
	if !cannotBeRead(err) {
		return
	}
	t := b.lock()
	defer t.unlock()
	t.broken[p.Number] = &broken
	t.forgetHeld(p.Number)
}

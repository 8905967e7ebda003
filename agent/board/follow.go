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

// follower updates the board with what other processes have stored.
type follower struct {
	b       *Board
	missing atomic.Bool // the store has changes that were not read yet

	mu     sync.Mutex // locked while the store is read; guards the next two
	loaded bool       // the store's open plans have been read
	key    string     // the workspace of those plans
}

// Refresh updates the session's plans from the store: the first time it reads all open plans,
// later those that other processes have changed. It logs and leaves out a plan that cannot be
// read. Do not call it with a plan locked.
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

// missed makes the next catchUp read the store, even if nobody has written to it since.
func (f *follower) missed() { f.missing.Store(true) }

// pause keeps catchUp from finding a new plan in the store before its creator holds it, until
// done is called. You may have locked a plan: catchUp waits for no plan's lock.
func (f *follower) pause() (done func()) {
	f.mu.Lock()
	return f.mu.Unlock
}

// catchUp reads what is new in the store, and returns the plans that have changed.
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

// read reads the plans that differ between the store and the session, and the questions that wait
// for an answer. The first time it reads all open plans at once.
func (f *follower) read(ctx context.Context, first bool) (plans []*plan.Plan, err error) {
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
// there, because another process has decided on them.
func (f *follower) outdated(ctx context.Context) (numbers []int, err error) {
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
	return numbers, nil
}

// stored reads a plan from the store. If part of it cannot be read, its field Unreadable says so.
func (f *follower) stored(ctx context.Context, n int) (*plan.Plan, error) {
	p, err := f.b.store.Plan(ctx, f.b.session.Key(), n)
	if broken, ok := errors.AsType[*store.Unreadable](err); ok {
		return broken.Plan, nil
	}
	return p, err
}

// renew takes a newer value of a plan, unless someone is changing the plan or this session is
// working on it; then the next catchUp tries again. It returns the plan if it has changed.
func (f *follower) renew(ctx context.Context, p *plan.Plan) *Held {
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
		b.notRead(p, err)
		return nil
	}
	t = b.lock()
	defer t.unlock()
	if thread := t.threads[p.Conversation]; thread != nil {
		thread.news++
	}
	b.reconciler.unsavedLater(t.of(h))
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

// Recover reads the open plans of the workspace from the store, settles what an earlier session
// left unfinished, and announces the plans. It changes no file.
func (b *Board) Recover(ctx context.Context) error {
	if err := b.Refresh(ctx); err != nil {
		return err
	}
	if err := b.holdUnsettled(ctx); err != nil {
		return err
	}
	for _, h := range b.Plans("") {
		b.with(h, func(_ *table, e *entry) { e.looked = true })
		if _, err := b.reconciler.reconcile(ctx, h, evidence{asked: true, restarted: true, commands: true, all: true}); err != nil {
			return err
		}
		if err := b.CloseDecided(ctx, h); err != nil { // a turn that could have added more was cut off
			return err
		}
		b.Announce(h, "")
	}
	return nil
}

// Leave records what was lost when an editor exited: hunks that were applied in its buffers and
// never saved become pending again. Call it when the session has ended and the workspace has no
// buffers. If only the server exits, the editor opens its buffers in the next one, and their
// hunks count as applied again.
func (b *Board) Leave(ctx context.Context) error {
	for _, h := range b.Plans("") {
		if _, err := b.reconciler.reconcile(ctx, h, evidence{all: true}); err != nil {
			return err
		}
	}
	return nil
}

// holdUnsettled makes the session hold the closed plans whose record may be out of date: an undo
// was cut off, or an applied change was never saved.
func (b *Board) holdUnsettled(ctx context.Context) error {
	recent, err := b.store.Plans(ctx, b.session.Key(), store.Filter{Limit: recentPlans})
	if err != nil {
		return err
	}
	for _, p := range recent {
		if !mayBeOff(p) || p.State.Open() {
			continue
		}
		if _, err := b.holdLocked(ctx, p); err != nil {
			b.notRead(p, err)
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

// CatchUp compares the files that the editor has saved, opened or closed, if the end of the
// session cut that off. Call it when the session has ended, while the workspace still has the
// editor's buffers. Without it, files that were saved last would stay recorded as unsaved, and
// the next session would treat their hunks as lost if the disk no longer has them.
func (b *Board) CatchUp(ctx context.Context) error {
	for _, h := range b.Plans("") {
		e := b.reconciler.take(h)
		e.asked = false
		if _, err := b.reconciler.reconcile(ctx, h, e); err != nil {
			return err
		}
	}
	return nil
}

package board

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/store"
	"redline/agent/view"
	"redline/workspace"
)

// Tx is a transaction that has locked a plan. Only its holder can change the plan's value, so
// whatever needs the plan locked is a method of Tx. Nobody else changes the plan until Unlock:
// decisions on the same plan come one after the other, and those on different plans do not wait
// for each other. The text under the plan can still change: the user keeps typing.
//
// Lock a plan before the table. While you have a plan locked you may wait for the lock of a
// newer plan, never of an older one, and must not call a function that locks this plan itself.
type Tx struct {
	b      *Board
	Held   *Held // nil if the session does not hold the plan yet
	unlock func()
}

// planLocks has a lock for each plan, by number. The session need not hold the plan.
type planLocks struct {
	b        *Board
	byNumber sync.Map     // number to *sync.Mutex
	locks    atomic.Int64 // counts as counts does
}

func (l *planLocks) of(number int) *sync.Mutex {
	lock, _ := l.byNumber.LoadOrStore(number, new(sync.Mutex))
	return lock.(*sync.Mutex)
}

// lockNumber does what [Board.Lock] does, for a plan that the session may not hold yet.
func (l *planLocks) lockNumber(number int) *Tx {
	lock := l.of(number)
	lock.Lock()
	l.locks.Add(1)
	return &Tx{b: l.b, unlock: lock.Unlock}
}

// tryLock does what lockNumber does without waiting: ok is false if the plan is already locked.
func (l *planLocks) tryLock(number int) (tx *Tx, ok bool) {
	lock := l.of(number)
	return &Tx{b: l.b, unlock: lock.Unlock}, lock.TryLock()
}

// Lock waits until the plan is unlocked, and locks it.
func (b *Board) Lock(h *Held) *Tx {
	tx := b.lockNumber(h.Number())
	tx.Held = h
	return tx
}

// Unlock ends the transaction. What it has stored stays.
func (tx *Tx) Unlock() { tx.unlock() }

// UnlockUnless is for the defer of a function that hands a locked plan on: it unlocks the plan if the
// function has failed or panics before *handedOn is true.
func (tx *Tx) UnlockUnless(handedOn *bool) {
	if !*handedOn {
		tx.Unlock()
	}
}

// Ready refuses a request if its event is not possible now, if the plan is being carried out, or
// if the plan has changed since it was shown.
func (tx *Tx) Ready(e plan.Event, d view.Request) error {
	t := tx.b.lock()
	defer t.unlock()
	return t.ready(t.of(tx.Held), e, d)
}

// ready is what [Tx.Ready] returns.
func (t *table) ready(h *entry, e plan.Event, d view.Request) error {
	t.counts.ready++
	if h.execution != nil {
		return h.busy()
	}
	if _, err := h.Plan().State.Next(e); err != nil {
		return plan.Refuse(plan.WrongState, "Plan %d: %s", h.Number(), err)
	}
	return d.Binds(h.Now())
}

// Executing reports whether an approval, an undo or a command of the plan is being carried out.
func (tx *Tx) Executing() bool { return tx.b.peek(tx.Held).execution != nil }

// Look returns the view of a plan that is [Tx.Ready]. It reads those of the plan's files that no
// editor shows, and returns what it read.
func (tx *Tx) Look(e plan.Event, d view.Request) (*view.Plan, *ReadAhead, error) {
	return tx.see(func(t *table, h *entry) error { return t.ready(h, e, d) })
}

// See does what [Tx.Look] does, for a plan in any state.
func (tx *Tx) See() (*view.Plan, *ReadAhead) {
	v, l, _ := tx.see(func(*table, *entry) error { return nil })
	return v, l
}

// see returns the view of a plan that refused does not refuse.
func (tx *Tx) see(refused func(*table, *entry) error) (*view.Plan, *ReadAhead, error) {
	var err error
	t, l := tx.b.lockWith(pathsIn(tx.Held.Revision()), func(t *table) []Paths {
		h := t.of(tx.Held)
		if err = refused(t, h); err != nil {
			return nil
		}
		files := pathsOfAll(h.files)
		for _, c := range h.past {
			files = append(files, pathsOf(c.Change))
		}
		return files
	})
	defer t.unlock()
	if err != nil {
		return nil, nil, err
	}
	t.placeClosed(l, t.of(tx.Held))
	return t.planView(t.of(tx.Held)), l, nil
}

// Staging reports whether a turn may still add operations to the plan.
func (tx *Tx) Staging() bool { return tx.Held.staging.Load() }

// Save stores next, with the record of the decision that led to it (nil for none), and makes it
// the plan's value. The events are those that led to next.
func (tx *Tx) Save(ctx context.Context, next *plan.Plan, d *plan.Decision, events ...plan.Event) error {
	if err := tx.b.store.Save(ctx, tx.b.session.Key(), next, d); err != nil {
		return tx.b.StoreError(next.Number, err)
	}
	tx.swap(next, events...)
	return nil
}

// Reread takes the store's value of the plan, after the plan was found to differ from what was
// shown. The user reviews that value next.
func (tx *Tx) Reread(ctx context.Context) {
	p, err := tx.b.store.Plan(ctx, tx.b.session.Key(), tx.Held.Number())
	if err == nil {
		_, err = tx.hold(ctx, p, nil)
	}
	if err != nil {
		tx.b.Follower.missed()
		tx.b.log.Error("a plan that was changed could not be read again", zap.Int("plan", tx.Held.Number()), zap.Error(err))
	}
}

// swap makes next, to which the events have led, the plan's value.
func (tx *Tx) swap(next *plan.Plan, events ...plan.Event) {
	tx.swapWith(next, func(*table, *entry) {}, events...)
}

// swapWith does what swap does, after do with the table locked.
func (tx *Tx) swapWith(next *plan.Plan, do func(*table, *entry), events ...plan.Event) {
	b, h := tx.b, tx.Held
	was, before := h.Plan(), h.Plan().State
	var decided []Paths // the files of the revision, which stays, whose record changes
	for i := range h.Revision().Changes {
		if c := &h.Revision().Changes[i]; decidedBetween(c, was, next) {
			decided = append(decided, pathsOf(c))
		}
	}
	t, l := b.lockWith(decided, func(*table) []Paths { return decided })
	defer t.unlock()
	e := t.of(h)
	do(t, e)
	r, _ := next.Revision(h.Revision().Number)
	e.set(next, r)
	for _, f := range e.files {
		if decidedBetween(f.Change, was, next) {
			f.place(l, next)
		}
	}
	t.changed(e)
	t.applyEffects(e, before, events...)
}

// StoreError returns err, unless err means that another process was faster: then it returns a
// refusal and makes the next Refresh read the plan again.
func (b *Board) StoreError(n int, err error) error {
	if !errors.Is(err, store.ErrChanged) {
		return err
	}
	b.Follower.missed()
	return plan.Refuse(plan.Busy, "Plan %d was changed by another Redline meanwhile: look at it again.", n)
}

// Executing reports whether any plan is being carried out.
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

// CloseDecided closes a plan once all its parts are decided. A turn in stepwise mode keeps such a
// plan open until the turn ends, since it may stage more.
func (b *Board) CloseDecided(ctx context.Context, h *Held) error {
	tx := b.Lock(h)
	defer tx.Unlock()
	e := b.peek(h)
	r, next, busy := h.Revision(), h.Plan().Clone(), e.execution != nil || h.staging.Load()
	if s := next.State; busy || len(r.Operations) == 0 || s != plan.AwaitingApproval && s != plan.Reviewing || !next.Undecided(r).None() {
		return nil
	}
	event, _ := next.AfterReject(r)
	if err := next.Apply(event); err != nil {
		return err
	}
	next.Updated = b.now().UTC()
	return tx.Save(ctx, next, nil, event)
}

// NewRevision is a plan with a new revision to store.
type NewRevision struct {
	Plan     *plan.Plan           // the plan with the new revision as its current one
	Texts    map[plan.Blob]string // the revision's new texts
	Staging  bool                 // a turn may add more operations
	Answered []int64              // the questions in the store that the turn has answered
}

// Create stores a new plan with its first revision, and holds it. The error is the store's.
func (b *Board) Create(ctx context.Context, n NewRevision) (*Held, error) {
	defer b.Follower.pause()()
	b.prepare(n.Plan)
	if err := b.store.CreatePlan(ctx, b.session.Key(), n.Plan, n.Texts, n.Answered...); err != nil {
		return nil, err
	}
	tx := b.lockNumber(n.Plan.Number)
	defer tx.Unlock()
	h, err := tx.holdNew(ctx, n, plan.Drafting, plan.PlanCreated)
	if err == nil {
		b.with(h, func(_ *table, e *entry) { e.looked = true }) // no earlier session can have left anything
	}
	return h, err
}

// Import stores a plan that was exported elsewhere with its document, and holds it. The next Announce
// writes its preview.
func (b *Board) Import(ctx context.Context, p *plan.Plan, texts map[plan.Blob]string, document string) (*Held, error) {
	defer b.Follower.pause()()
	b.prepare(p)
	if err := b.store.ImportPlan(ctx, b.session.Key(), p, texts, document); err != nil {
		return nil, err
	}
	h, err := b.Follower.holdLocked(ctx, p)
	if err == nil {
		b.with(h, func(_ *table, e *entry) { e.due = append(e.due, plan.WritePreview) })
	}
	return h, err
}

// BeginReview begins the review of a plan that the user opens, and returns the plan.
func (b *Board) BeginReview(ctx context.Context, n int) (*Held, error) {
	h, err := b.Find(ctx, n)
	if err != nil {
		return nil, err
	}
	tx := b.Lock(h)
	defer tx.Unlock()
	next := h.Plan().Clone()
	if next.Apply(plan.UserReviewing) != nil {
		return h, nil // the review has begun, or the plan is decided
	}
	next.Updated = b.now().UTC()
	return h, tx.Save(ctx, next, nil, plan.UserReviewing)
}

// prepare sets the least number that a new plan may get, and the folders of its paths.
func (b *Board) prepare(p *plan.Plan) {
	if !b.store.Kept() {
		p.Number = leastNumber(b.ws.Own())
	}
	p.Progress.Folders = namedFolders(b.ws.Folders())
}

// holdNew holds a plan whose new revision was stored. The events led to it from the state
// before.
func (tx *Tx) holdNew(ctx context.Context, n NewRevision, before plan.State, events ...plan.Event) (*Held, error) {
	h, err := tx.hold(context.WithoutCancel(ctx), n.Plan, n.Texts) // it is stored, so a cancelled caller must not see it fail
	if err != nil {
		tx.b.Follower.missed() // it is stored
		return nil, err
	}
	tx.b.with(h, func(t *table, e *entry) {
		if n.Plan.Latest().Author != plan.AuthorUser { // only a turn says whether it adds to the plan
			h.staging.Store(n.Staging)
		}
		t.applyEffects(e, before, events...)
	})
	return h, nil
}

// Draft applies an event that begins drafting to next, and makes the result the plan's value.
// That is never stored: after a crash the plan has the state of next. End drafting with Undraft,
// or with another revision.
func (tx *Tx) Draft(next *plan.Plan, e plan.Event) error {
	before, next := next.State, next.Clone()
	if err := next.Apply(e); err != nil {
		return err
	}
	r, _ := next.Revision(tx.Held.Revision().Number)
	tx.Held.before = before
	tx.b.with(tx.Held, func(t *table, held *entry) {
		held.set(next, r)
		t.applyEffects(held, before, e)
		t.changed(held)
	})
	return nil
}

// Undraft puts a plan that is being drafted back into its previous state, and announces it. It
// leaves a plan whose revision is to be stored later.
func (tx *Tx) Undraft() {
	b, h := tx.b, tx.Held
	if h.unstored || h.Plan().State != plan.Drafting {
		return
	}
	next := h.Plan().Clone()
	next.State = h.before
	b.with(h, func(t *table, e *entry) {
		e.set(next, h.Revision())
		t.changed(e)
	})
	b.Announce(h, "")
}

// SetUnstored sets whether a revision of the plan is to be stored later. Until it is stored, the
// plan stays drafting.
func (tx *Tx) SetUnstored(later bool) { tx.Held.unstored = later }

// Unstored reports whether a revision of the plan is to be stored later.
func (tx *Tx) Unstored() bool { return tx.Held.unstored }

// Revise stores a further revision of the plan, to which the events have led, and holds it. The
// error is the store's: [store.ErrChanged] if another process was faster.
//
// A turn works in the current workspace folders, so Revise records them in the plan. A user's
// revision has the paths of the previous one, so it keeps the folders of that one.
func (tx *Tx) Revise(ctx context.Context, n NewRevision, events ...plan.Event) (*Held, error) {
	b, before := tx.b, tx.Held.Plan().State
	if n.Plan.Latest().Author != plan.AuthorUser {
		n.Plan.Progress.Folders = namedFolders(b.ws.Folders())
	}
	n.Plan.Updated = b.now().UTC()
	if err := b.store.AddRevision(ctx, b.session.Key(), n.Plan, n.Texts, n.Answered...); err != nil {
		if errors.Is(err, store.ErrChanged) {
			b.Follower.missed()
		}
		return nil, err
	}
	return tx.holdNew(ctx, n, before, events...)
}

// Shared is what came from elsewhere for a plan.
type Shared struct {
	Plan     *plan.Plan           // the plan with it
	Added    []int                // the numbers of the revisions that came
	Texts    map[plan.Blob]string // their texts
	Document string               // the plan's document now
}

// Share stores what came from elsewhere, to which the events have led, and holds the plan. The error is the
// store's: [store.ErrChanged] if another process was faster.
func (tx *Tx) Share(ctx context.Context, s Shared, events ...plan.Event) (*Held, error) {
	b, before := tx.b, tx.Held.Plan().State
	if err := b.store.Share(ctx, b.session.Key(), s.Plan, s.Added, s.Texts, s.Document); err != nil {
		if errors.Is(err, store.ErrChanged) {
			b.Follower.missed()
		}
		return nil, err
	}
	h, err := tx.hold(context.WithoutCancel(ctx), s.Plan, s.Texts)
	if err != nil {
		b.Follower.missed() // it is stored
		return nil, err
	}
	b.with(h, func(t *table, e *entry) {
		t.applyEffects(e, before, events...)
		e.due = append(e.due, plan.WritePreview)
	})
	return h, nil
}

// SetStaging sets whether a turn may add operations to a plan while the user can decide on it.
// The next Announce shows what was held back for that turn.
func (b *Board) SetStaging(h *Held, on bool) {
	b.with(h, func(_ *table, e *entry) {
		h.staging.Store(on)
		e.due, e.later = append(e.due, e.later...), nil
	})
}

// AppendRevision makes r the newest revision of p. texts has the new texts of r; its other texts,
// and those of its parent, are read from the store.
func AppendRevision(ctx context.Context, b *Board, p *plan.Plan, r plan.Revision, texts map[plan.Blob]string) error {
	if err := plan.CheckConditions(&r); err != nil {
		return plan.Refuse(plan.Invalid, "Plan %d stays as it is: %s.", p.Number, err)
	}
	text, missing := StoredTexts(ctx, b.store, texts)
	NameCharsets(b, &r, text)
	p.Add(r, text)
	return missing()
}

// NameCharsets sets the charset in which each file of a new revision is written, so that its hash
// has it.
func NameCharsets(b *Board, r *plan.Revision, text func(plan.Blob) string) {
	r.Changes = slices.Clone(r.Changes)
	for i := range r.Changes {
		c, from := &r.Changes[i], ""
		if c.BaseExists {
			from = c.Path
		}
		if c.Action != plan.Delete {
			c.Charset = b.ws.WrittenIn(from, cmp.Or(c.NewPath, c.Path), text(c.Proposed))
		}
	}
}

// maxNumberSeen is the largest number that the name of a preview may claim.
const maxNumberSeen = 1_000_000

// leastNumber returns the least number that a new plan may get, 0 for any. It matters in a
// session without the plan database, which does not know the numbers in use and takes them from
// the names of earlier previews. Those previews must not be overwritten, because they may be all
// that is left of their plans.
func leastNumber(own *workspace.Own) int {
	names, err := own.Names("plans")
	if err != nil {
		return 0 // there is no preview folder, so nothing is overwritten
	}
	least := 1
	for _, name := range names {
		if n, _, ok := view.PreviewOf("plans/" + name); ok && n < maxNumberSeen {
			least = max(least, n+1)
		}
	}
	for least < maxNumberSeen { // the folder may have more than were listed
		if _, err := own.Read(view.PreviewName(least, 1)); err != nil {
			break
		}
		least++
	}
	return least
}

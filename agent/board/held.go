package board

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/readahead"
	"redline/agent/refusal"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/view"
	"redline/edits"
	"redline/edits/track"
	"redline/workspace"
)

// Held is a plan that the session holds. Anyone may read its value, which is immutable; only a
// [Tx] replaces it.
type Held struct {
	number int // of the plan
	value  atomic.Pointer[planValue]
	entry  *entry // the table's: use table.of

	before   plan.State // while drafting: the state to go back to
	unstored bool       // a turn's revision of it could not be stored yet: it is drafted until then
}

// entry is what the table has of one plan: the texts of its current revision, where they are in
// the files of now, and what is to be shown. Use it only while you have the table.
type entry struct {
	*Held
	files    []*heldFile     // as in revision.Changes; replaced, never changed
	past     []*view.Earlier // what earlier revisions have applied besides, newest first; replaced, never changed
	pastLeft bool            // some of that is still to be compared with its text
	preview  string          // workspace path of the preview, "" if there is none
	written  plan.Blob       // the preview's text as this session has written it, "" if it has not
	taken    plan.Blob       // the edited preview that the revision was made of, "" for none in this session
	view     *view.Plan      // for the snapshot; nil when out of date
	depend   *dependState    // of the revision; made when it is asked for

	due       []plan.Effect  // what the next announce writes and shows
	staging   bool           // a turn may still add operations to it
	later     []plan.Effect  // what is due when that turn has ended
	looked    bool           // it was compared as at the start of a session, see takeOver
	execution *Execution     // while an approval or an undo is carried out
	outcome   *state.Outcome // the result of a decision, for the next event about the plan
	toLook    lookList       // what is to be compared off the read loop
}

// planValue is a plan as it is stored, and its current revision. Both are replaced, never
// changed.
type planValue struct {
	plan     *plan.Plan
	revision *plan.Revision
}

// NewHeld returns a plan that no board holds, for the tests of those who are given plans.
func NewHeld(p *plan.Plan, r *plan.Revision) *Held {
	h := &Held{number: p.Number}
	h.entry = &entry{Held: h}
	h.entry.set(p, r)
	return h
}

// Number returns the number of the plan.
func (h *Held) Number() int { return h.number }

func (h *Held) Plan() *plan.Plan         { return h.value.Load().plan }
func (h *Held) Revision() *plan.Revision { return h.value.Load().revision }

// Now returns the plan and its current revision, which belong together.
func (h *Held) Now() (*plan.Plan, *plan.Revision) {
	v := h.value.Load()
	return v.plan, v.revision
}

// set gives the plan another value. Only a Tx does so.
func (h *entry) set(p *plan.Plan, r *plan.Revision) { h.value.Store(&planValue{p, r}) }

// heldFile is one file of a plan.
type heldFile struct {
	change   *plan.Change
	base     string
	proposed string
	outside  bool // the current revision does not touch it: it is only here for an undo

	// What follows is the file as it is now, see live.go.
	live       *edits.Lines
	exists     bool   // it is there, or cannot be read
	unreadable string // what is there instead of a text, "" if nothing is
	inTheWay   string // a creation or move: why the file cannot be put there, "" if it can
	placed     track.Placement
	stamp      workspace.Stamp // of the file on disk before glance read it
	placedFor  *plan.Plan      // the value of the plan that placed began with
	has        []bool          // for each hunk whether placed follows its new lines, not its old ones; replaced, never changed
	undone     undone          // what the user takes back in the editor
	moved      bool            // a rename that is pending: the user has moved the file
	view       *view.File      // nil when out of date
	disk       onDisk

	marks    []plan.HunkMark // of the hunks, in the plan value marksFor
	marksFor *plan.Plan
}

// maxClosed is how many plans that are done a session keeps at hand.
const maxClosed = 20

// hold makes p a plan of this session, or takes its new value. It reads texts from the store.
func (tx *Tx) hold(ctx context.Context, p *plan.Plan) (*Held, error) {
	b := tx.b
	fresh, err := b.read(ctx, p)
	if err != nil {
		return nil, err
	}
	t, l := b.lockRead(fresh)
	defer t.unlock()
	e := t.plans[p.Number]
	if e == nil {
		e = t.of(fresh)
		delete(t.broken, p.Number)
		t.plans[p.Number] = e
		b.forgetClosed(t)
	} else {
		if e.Revision().Hash != fresh.Revision().Hash {
			e.files, e.preview, e.written = t.of(fresh).files, "", ""
		}
		e.set(p, fresh.Revision())
		e.past = t.of(fresh).past
	}
	t.placeAll(l, e)
	return e.Held, nil
}

// holdLocked locks the plan and calls hold.
func (b *Board) holdLocked(ctx context.Context, p *plan.Plan) (*Held, error) {
	tx := b.lockNumber(p.Number)
	defer tx.Unlock()
	return tx.hold(ctx, p)
}

// holdRevision is hold for a plan that has got another revision here, over the
// given events.
func (tx *Tx) holdRevision(ctx context.Context, p *plan.Plan, before plan.State, events ...plan.Event) (*Held, error) {
	h, err := tx.hold(ctx, p)
	if err == nil {
		t := tx.b.lock()
		t.follow(t.of(h), before, events...)
		t.unlock()
	}
	return h, err
}

// read makes a plan and the texts of its current revision.
func (b *Board) read(ctx context.Context, p *plan.Plan) (*Held, error) {
	if p.Unreadable != "" {
		return nil, refusal.New(refusal.WrongState, "%s", p.Unreadable)
	}
	revision, ok := p.Revision(p.Current)
	if !ok {
		return nil, refusal.New(refusal.WrongState, "its revision %d is missing", p.Current)
	}
	h := NewHeld(p, revision)
	h.entry.files = make([]*heldFile, len(revision.Changes)) // nobody else has it yet
	for i := range revision.Changes {
		c := &revision.Changes[i]
		base, err := b.store.Text(ctx, c.Base)
		if err != nil {
			return nil, err
		}
		proposed, err := b.store.Text(ctx, c.Proposed)
		if err != nil {
			return nil, err
		}
		h.entry.files[i] = &heldFile{change: c, base: base, proposed: proposed}
	}
	var err error
	h.entry.past, err = b.readPast(ctx, p, revision)
	return h, err
}

// forgetClosed drops the oldest of the plans that are done: the store has them.
func (b *Board) forgetClosed(t *table) {
	var closed []int
	for n, h := range t.plans {
		if !h.Plan().State.Open() && h.execution == nil {
			closed = append(closed, n)
		}
	}
	slices.Sort(closed)
	for _, n := range closed[:max(0, len(closed)-maxClosed)] {
		if tx, ok := b.tryLock(n); ok { // else somebody decides on it
			delete(t.plans, n)
			t.forgetRecent()
			tx.Unlock()
		}
	}
}

// changed marks what is shown of a plan as out of date.
func (t *table) changed(h *entry) {
	h.view = nil
	t.snapshot = nil
}

// swap makes next, to which the events have led, the plan's value.
func (tx *Tx) swap(next *plan.Plan, events ...plan.Event) {
	b, h := tx.b, tx.Held
	was, before := h.Plan(), h.Plan().State
	t, l := b.lockWith(func(t *table) (files []readahead.Paths) {
		for _, f := range t.of(h).files {
			if f.decidedBetween(was, next) {
				files = append(files, pathsOf(f.change))
			}
		}
		return files
	})
	defer t.unlock()
	e := t.of(h)
	r, _ := next.Revision(h.Revision().Number)
	e.set(next, r)
	for _, f := range e.files {
		if f.decidedBetween(was, next) {
			f.place(l, next)
		}
	}
	t.changed(e)
	t.follow(e, before, events...)
	b.wakeCommands()
}

// texts returns a lookup in the texts of a plan's current revision. The caller
// holds Board.mu; the lookup may be used without it.
func (h *entry) texts() func(plan.Blob) string {
	texts := make(map[plan.Blob]string, 2*len(h.files))
	for _, f := range h.files {
		texts[f.change.Base], texts[f.change.Proposed] = f.base, f.proposed
	}
	return func(b plan.Blob) string { return texts[b] }
}

// file returns the plan's file with the given path, old or new.
func (h *entry) file(path string) *heldFile {
	for _, f := range h.files {
		if f.change.Path == path || (f.change.NewPath != "" && f.change.NewPath == path) {
			return f
		}
	}
	return nil
}

// mark is what is known of a file beyond its hunks.
func (h *Held) mark(f *heldFile) plan.FileMark {
	return h.Plan().Progress.File(h.Revision().Number, f.change.Path)
}

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

// Find returns a plan of this workspace, from the session or the store.
func (b *Board) Find(ctx context.Context, n int) (h *Held, err error) {
	if err := b.Refresh(ctx); err != nil {
		return nil, err
	}
	if h = b.Held(n); h == nil {
		if h, err = b.fetch(ctx, n); err != nil {
			return nil, err
		}
	}
	settled, found := b.reconcileLogged(ctx, h, b.closedUnsaved(h)), b.SeekGone(ctx, h)
	if b.takeOver(ctx, h) || settled || found {
		b.Announce(h, "") // who asked is told anyway, but what is on screen is not
	}
	return h, nil
}

// fetch makes a plan of the store the session's.
func (b *Board) fetch(ctx context.Context, n int) (*Held, error) {
	tx := b.lockNumber(n)
	defer tx.Unlock()
	p, err := b.store.Plan(ctx, b.workspaceKey(), n)
	if broken, ok := errors.AsType[*store.Unreadable](err); ok {
		p, err = broken.Plan, nil
	}
	if err != nil {
		return nil, NoSuchPlan(n, err)
	}
	h, err := tx.hold(ctx, p)
	if err != nil && cannotBeRead(err) {
		b.noteUnreadable(p, err)
		return nil, refuseUnreadable(b.UnreadablePlan(n))
	}
	return h, err
}

// StoreError turns the store's word that another process was faster into a refusal,
// and has its work read the next time.
func (b *Board) StoreError(n int, err error) error {
	if !errors.Is(err, store.ErrChanged) {
		return err
	}
	b.behind.Store(true)
	return refusal.New(refusal.Busy, "Plan %d was changed by another Redline meanwhile: look at it again.", n)
}

// Held returns a plan that the session holds, nil for none. The store is not asked.
func (b *Board) Held(number int) *Held {
	t := b.lock()
	defer t.unlock()
	return t.held(number)
}

// Forget drops a plan that the store does not have any more.
func (b *Board) Forget(number int) {
	tx := b.lockNumber(number)
	defer tx.Unlock()
	t := b.lock()
	defer t.unlock()
	t.forgetHeld(number)
	t.forgetRecent()
	t.snapshot = nil
}

// Executing reports whether anything of any plan is being carried out.
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

// held returns the plans of the session.
func (b *Board) held() []*Held {
	t := b.lock()
	defer t.unlock()
	all := make([]*Held, 0, len(t.plans))
	for _, e := range t.plans {
		all = append(all, e.Held)
	}
	return all
}

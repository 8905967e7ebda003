package board

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/view"
	"redline/workspace"
)

// Held is a plan that the session holds. Anyone may read its value, which is immutable; only a
// [Tx] replaces it.
type Held struct {
	number int // the plan's number
	value  atomic.Pointer[planValue]
	entry  *entry // guarded by the table: use table.of

	before   plan.State  // while drafting: the state to restore
	unstored bool        // a turn's revision could not be stored yet; until then the plan is drafting
	staging  atomic.Bool // a turn may still add operations to it
}

// planValue is a plan as it is stored, and its current revision. Both are replaced, never
// changed.
type planValue struct {
	plan     *plan.Plan
	revision *plan.Revision
}

// entry is the table's record of one plan: the texts of its current revision, where its hunks
// are in the current files, and what is due to be shown. Use it only with the table locked.
type entry struct {
	*Held
	files    []*heldFile     // in the order of revision.Changes; replaced, never changed
	past     []*view.Earlier // changes that only earlier revisions have applied, newest first; replaced, never changed
	pastLeft bool            // some of past must still be compared with its text
	preview  string          // the workspace path of the preview of its current revision, "" for none
	view     *view.Plan      // for the snapshot; nil if out of date
	fixed    *fixedState     // of the revision; made on demand

	due       []plan.Effect  // what the next Announce writes and shows
	again     bool           // show it again even if it was shown before
	later     []plan.Effect  // due when that turn has ended
	looked    bool           // it was compared as at the start of a session, see leftBehind
	execution *Execution     // while an approval or an undo is carried out
	outcome   *state.Outcome // the result of a decision, for the next event about the plan
}

// heldFile is one file of a plan: a change, and the current file; see place.go. The change and
// its texts never change; the table guards the rest, as it does the entry that has the file.
type heldFile struct {
	view.Standing
	inTheWay  string          // for a creation or move: why the file cannot be put there, "" if it can
	stamp     workspace.Stamp // the stamp of the file on disk before glance read it
	placedFor *plan.Plan      // the value of the plan that Placement began with
	undone    undone          // what the user has undone in the editor
	view      *view.File      // nil if out of date
	disk      onDisk

	marks    []plan.HunkMark // marks of the hunks, in the plan value marksFor
	marksFor *plan.Plan
}

// NewHeld returns a plan that no board holds, for tests.
func NewHeld(p *plan.Plan, r *plan.Revision) *Held {
	h := &Held{number: p.Number}
	h.entry = &entry{Held: h}
	h.entry.set(p, r)
	return h
}

// Number returns the number of the plan.
func (h *Held) Number() int { return h.number }

func (h *Held) Plan() *plan.Plan { return h.value.Load().plan }

func (h *Held) Revision() *plan.Revision { return h.value.Load().revision }

// Now returns the plan and its current revision, consistent with each other.
func (h *Held) Now() (*plan.Plan, *plan.Revision) {
	v := h.value.Load()
	return v.plan, v.revision
}

// set replaces the value of the plan. Only a Tx does so.
func (h *entry) set(p *plan.Plan, r *plan.Revision) { h.value.Store(&planValue{p, r}) }

// file returns the plan's file with the given path, old or new.
func (h *entry) file(path string) *heldFile {
	for _, f := range h.files {
		if f.Change.Path == path || (f.Change.NewPath != "" && f.Change.NewPath == path) {
			return f
		}
	}
	return nil
}

// mark returns the plan's record of a file as a whole.
func (h *Held) mark(f *heldFile) plan.FileMark {
	return h.Plan().Progress.File(h.Revision().Number, f.Change.Path)
}

// Find returns a plan of this workspace, from the session or the store.
func (b *Board) Find(ctx context.Context, n int) (*Held, error) {
	h, e, found, _, err := b.find(ctx, n)
	if err != nil {
		return nil, err
	}
	if b.Reconciler.tryReconcile(ctx, h, e) || found {
		b.Announce(h, "") // the caller gets the new state anyway, the screen does not
	}
	return h, nil
}

// Open finds a plan and locks it for a decision. Whatever the texts of its files show about
// changes that are on record is stored first. Open waits for the end of an execution whose result is
// stored, since the plan is shown as one that can be decided on already.
func (b *Board) Open(ctx context.Context, n int) (*Tx, error) {
	h, e, found, ending, err := b.find(ctx, n)
	for err == nil && ending != nil {
		select {
		case <-ending:
			h, e, found, ending, err = b.find(ctx, n) // what was found before is older than the end
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err != nil {
		return nil, err
	}
	tx, opened := b.Lock(h), false
	defer tx.UnlockUnless(&opened)
	e.asked = unsettled(h.Now()) // also files of this session's editor
	changed := false
	err = session.Contain(func() (err error) {
		changed, err = tx.reconcile(ctx, e)
		return err
	})
	if changed || found {
		b.Announce(h, "")
	}
	opened = err == nil
	return tx, err
}

// find brings the session's plans up to date and returns one of them, and what to compare of it.
// found reports whether a missing file of the plan was found elsewhere. ending is closed at the end of
// an execution of the plan that is in its [Execution.End], nil if none is.
func (b *Board) find(ctx context.Context, n int) (h *Held, e evidence, found bool, ending <-chan struct{}, err error) {
	if err := b.Follower.Refresh(ctx); err != nil {
		return nil, e, false, nil, err
	}
	t := b.lock()
	if h = t.held(n); h == nil {
		t.unlock()
		if h, err = b.Follower.fetch(ctx, n); err != nil {
			return nil, e, false, nil, err
		}
		t = b.lock()
	}
	if x := t.of(h).execution; x != nil && !x.waiting && x.noted.Load() {
		ending = x.done
	}
	t.counts.compared++
	e = t.of(h).leftBehind().and(b.Reconciler.closedFiles(t.of(h)))
	gone := t.gone(t.of(h))
	t.unlock()
	return h, e, b.Disk.seek(ctx, h, gone), ending, nil
}

// Held returns the plan if the session holds it, else nil. It does not ask the store.
func (b *Board) Held(number int) *Held {
	t := b.lock()
	defer t.unlock()
	return t.held(number)
}

// hold adds p to the plans of this session, or updates the plan that the session holds. It reads
// texts that are not cached from the store.
func (tx *Tx) hold(ctx context.Context, p *plan.Plan, atHand map[plan.Blob]string) (*Held, error) {
	b := tx.b
	fresh, err := read(ctx, b.store, p, atHand)
	if err != nil {
		return nil, err
	}
	fresh.entry.carry(b.ws)
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
			e.files, e.preview = t.of(fresh).files, ""
		}
		e.set(p, fresh.Revision())
		e.past = t.of(fresh).past
	}
	for _, f := range e.files {
		f.place(l, p)
	}
	t.changed(e)
	return e.Held, nil
}

// carry allows the files of the plan to be as large as its texts, which a copy may have carried into it
// in an earlier session.
func (h *entry) carry(ws *workspace.Workspace) {
	each := func(c *plan.Change, base, proposed string) {
		ws.Carry(c.Path, base, proposed)
		if c.NewPath != "" {
			ws.Carry(c.NewPath, base, proposed)
		}
	}
	for _, f := range h.files {
		each(f.Change, f.Base, f.Proposed)
	}
	for _, e := range h.past {
		each(e.Change, e.Base, e.Proposed)
	}
}

// read returns a plan with the texts of its current revision. It reads texts that are not cached
// from the store.
func read(ctx context.Context, from *store.Store, p *plan.Plan, atHand map[plan.Blob]string) (*Held, error) {
	if p.Unreadable != "" {
		return nil, plan.Refuse(plan.WrongState, "%s", p.Unreadable)
	}
	revision, ok := p.Revision(p.Current)
	if !ok {
		return nil, plan.Refuse(plan.WrongState, "its revision %d is missing", p.Current)
	}
	text, missing := StoredTexts(ctx, from, atHand)
	h := NewHeld(p, revision)
	for i := range revision.Changes { // the plan is not shared yet
		c := &revision.Changes[i]
		f := &heldFile{Standing: view.Standing{Change: c, Base: text(c.Base), Proposed: text(c.Proposed)}}
		if p.State.Open() && c.Action != plan.Delete {
			f.Syntax = draft.Check(cmp.Or(c.NewPath, c.Path), f.Base, f.Proposed)
		}
		h.entry.files = append(h.entry.files, f)
	}
	h.entry.past = earlier(p, revision, text)
	return h, missing()
}

// maxClosed is how many closed plans a session holds.
const maxClosed = 20

// forgetClosed drops the oldest closed plans: the store has them.
func (b *Board) forgetClosed(t *table) {
	var closed []int
	for n, h := range t.plans {
		if !h.Plan().State.Open() && h.execution == nil {
			closed = append(closed, n)
		}
	}
	slices.Sort(closed)
	for _, n := range closed[:max(0, len(closed)-maxClosed)] {
		if tx, ok := b.tryLock(n); ok { // otherwise someone is deciding on it
			delete(t.plans, n)
			t.forgetRecent()
			tx.Unlock()
		}
	}
}

// Forget drops a plan that was deleted from the store.
func (b *Board) Forget(number int) {
	tx := b.lockNumber(number)
	defer tx.Unlock()
	t := b.lock()
	defer t.unlock()
	t.forgetHeld(number)
	t.forgetRecent()
}

// forgetHeld drops a plan from the session.
func (t *table) forgetHeld(n int) {
	if h := t.plans[n]; h != nil && h.execution == nil {
		delete(t.plans, n)
		t.snapshot = nil
		t.forgetRecent()
	}
}

// NoSuchPlan turns the store's error for a missing plan into a refusal.
func NoSuchPlan(n int, err error) error {
	if errors.Is(err, store.ErrNoSuchPlan) {
		return plan.Refuse(plan.NoSuchPlan, "There is no plan %d in this workspace: `redline plans list` shows the plans.", n)
	}
	return fmt.Errorf("plan %d could not be read: %w", n, err)
}

// cannotBeRead reports whether an error concerns one plan and not the store, so that other plans
// can still be read.
func cannotBeRead(err error) bool {
	_, refused := errors.AsType[*plan.Refusal](err)
	return refused || errors.Is(err, store.ErrNoSuchText) || errors.Is(err, store.ErrDamaged)
}

// earlier returns the hunks and moves that earlier revisions have applied and that the current
// one does not contain, newest first. It includes hunks whose unsaved buffer was discarded.
func earlier(p *plan.Plan, current *plan.Revision, text func(plan.Blob) string) (past []*view.Earlier) {
	known := map[string]bool{}
	for i := range current.Changes {
		for _, hunk := range current.Changes[i].Hunks {
			known[hunk.ID] = true
		}
	}
	for n := range slices.Backward(p.Revisions) {
		r := &p.Revisions[n]
		if r.Number == current.Number {
			continue
		}
		for i := range r.Changes {
			c := &view.Earlier{Revision: r.Number, Change: &r.Changes[i]}
			c.Move = c.Change.Action == plan.Rename && p.Progress.File(r.Number, c.Change.Path).Move == plan.FileApplied
			for k, hunk := range c.Change.Hunks {
				if p.Progress.Hunk(hunk.ID).MayBeThere() && !known[hunk.ID] {
					c.Hunks = append(c.Hunks, k)
				}
				known[hunk.ID] = true
			}
			if len(c.Hunks) == 0 && !c.Move {
				continue
			}
			if c.Change.Action == plan.Delete {
				c.Deleted = p.Progress.DeletedForm(c.Change)
			}
			c.Base, c.Proposed = text(c.Change.Base), text(c.Change.Proposed)
			past = append(past, c)
		}
	}
	return past
}

// StoredTexts returns a lookup in the cached texts and the store, and a function that returns
// the error of the first text that could not be read.
func StoredTexts(ctx context.Context, from *store.Store, atHand map[plan.Blob]string) (text func(plan.Blob) string, missing func() error) {
	known := map[plan.Blob]string{}
	var first error
	text = func(b plan.Blob) string {
		if t, ok := atHand[b]; ok {
			return t
		}
		if t, ok := known[b]; ok {
			return t
		}
		t, err := from.Text(ctx, b)
		if err != nil && first == nil {
			first = err
		}
		known[b] = t
		return t
	}
	return text, func() error { return first }
}

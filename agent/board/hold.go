package board

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/view"
)

// hold adds p to the plans of this session, or takes its new value. It reads texts from the
// store.
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
			e.files, e.preview = t.of(fresh).files, Preview{Taken: e.preview.Taken}
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

// read returns a plan with the texts of its current revision, which it reads from the store.
func (b *Board) read(ctx context.Context, p *plan.Plan) (*Held, error) {
	if p.Unreadable != "" {
		return nil, refusal.New(refusal.WrongState, "%s", p.Unreadable)
	}
	revision, ok := p.Revision(p.Current)
	if !ok {
		return nil, refusal.New(refusal.WrongState, "its revision %d is missing", p.Current)
	}
	text, missing := StoredTexts(ctx, b.store)
	h := NewHeld(p, revision)
	for i := range revision.Changes { // nobody else has the plan yet
		c := &revision.Changes[i]
		h.entry.files = append(h.entry.files, &heldFile{Standing: view.Standing{Change: c, Base: text(c.Base), Proposed: text(c.Proposed)}})
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
		if tx, ok := b.tryLock(n); ok { // else somebody decides on it
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
	}
}

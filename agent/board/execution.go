package board

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/view"
	"redline/edits"
)

// Intent is what an execution is meant to do.
type Intent struct {
	Verdict plan.Verdict
	Parts   []view.Part // what the editor is asked to apply or revert
	Made    []view.Part // applied or reverted by hand already, so no editor is asked
}

// Execution is an approval, a review, an undo or a command of a plan, from the moment when its
// intent is stored until its result is known. A plan has at most one at a time.
type Execution struct {
	b       *Board
	held    *Held
	id      int64  // the id of its record in the store
	intent  Intent // does not change, unless another process began the execution
	command string // id of the operation that runs, "" for edits

	begun time.Time     // when the editor was asked
	done  chan struct{} // nil if another process began the execution

	result state.Result // this and the next are set before done is closed
	err    error

	noted atomic.Bool // its result is stored, or will be

	// The table guards the rest; waiting also changes only under the plan's lock.
	waiting bool // the editor has not answered for a file, so its text will show the result
	ended   bool // the editor has answered for all files, or their texts have shown the result
	late    bool // it had not ended when its decision was answered, so an event reports its result
	tally   tally
	seen    map[int]edits.Applied // for each part of the intent, by index: what the texts have shown so far, see underway.go
}

// Done returns a channel that is closed when the execution has ended, or when only the text can
// still show its result.
func (x *Execution) Done() <-chan struct{} { return x.done }

// Err returns why the execution failed, nil if it did not. Call it after Done is closed.
func (x *Execution) Err() error { return x.err }

// patience is how long an editor that does not answer may still be asking its user. After that
// only the text decides.
const patience = time.Minute

// overdue reports whether the editor has timed out. If the clock was set back, the time starts
// again. Call it with the table locked.
func (x *Execution) overdue(now time.Time) bool {
	if now.Before(x.begun) {
		x.begun = now
	}
	return now.Sub(x.begun) > patience
}

// foreign reports whether another process, which has exited, began the execution.
func (x *Execution) foreign() bool { return x.done == nil }

// Undoes reports whether the execution is an undo.
func (i *Intent) Undoes() bool { return i.Verdict == plan.VerdictUndo }

// Reviews reports whether the user picks from the parts in the editor's own review.
func (i *Intent) Reviews() bool { return i.Verdict == plan.VerdictReview }

// files returns the parts of the intent, one for each file.
func (i *Intent) files() []view.Part {
	files := slices.Clone(i.Parts)
	for _, p := range i.Made {
		if !slices.ContainsFunc(files, func(other view.Part) bool { return other.File == p.File }) {
			files = append(files, p)
		}
	}
	return files
}

// busy returns the refusal of a decision that must wait for the plan's execution.
func (h *entry) busy() error {
	switch x, number := h.execution, h.Number(); {
	case x.intent.Reviews() && !x.waiting:
		return plan.Refuse(plan.Busy, "Plan %d is open in your editor's review: finish that, or dismiss it, first.", number)
	case x.waiting:
		return plan.Refuse(plan.Busy, "The editor has not answered yet about plan %d: wait for its answer, or save the file.", number)
	case x.command != "":
		return plan.Refuse(plan.Busy, "Plan %d is running a command: wait until it has ended, or cancel it.", number)
	default:
		return plan.Refuse(plan.Busy, "Plan %d is being carried out: wait until it has ended.", number)
	}
}

// end moves p to its next state when an execution has ended, and returns the events that led
// there. While a turn may add more to the plan (goesOn), the plan does not become done.
func (i *Intent) end(p *plan.Plan, r *plan.Revision, goesOn bool) (events []plan.Event, err error) {
	if i.Undoes() && p.State != plan.Executing { // otherwise an approval is being undone
		return i.endUndo(p)
	}
	p.SkipUnmet(r) // the execution may have settled them
	if p.State == plan.Reviewing && p.Undecided(r).None() {
		// The last undecided part was one that nobody could see.
		if err := p.Apply(plan.Execute); err != nil {
			return nil, err
		}
		events = append(events, plan.Execute)
	}
	if event, ok := p.Outcome(r); ok && p.State == plan.Executing {
		if goesOn && event == plan.PlanExecuted {
			event = plan.PartExecuted
		}
		events, err = append(events, event), p.Apply(event)
	}
	return events, err
}

// endUndo reopens a plan if anything of it was reverted.
func (i *Intent) endUndo(p *plan.Plan) ([]plan.Event, error) {
	if !slices.ContainsFunc(slices.Concat(i.Parts, i.Made), func(part view.Part) bool { return part.Taken(p) }) {
		return nil, nil
	}
	p.TakeBack()
	next, err := p.State.Next(plan.Undo)
	p.State = next
	return []plan.Event{plan.Undo}, err
}

// Begin stores a decision with the intent to carry it out, before anything is sent to the editor,
// and returns its execution. next is the plan during the execution, after the events. End the
// execution with [Execution.End].
func (tx *Tx) Begin(ctx context.Context, i Intent, next *plan.Plan, d *plan.Decision, events ...plan.Event) (*Execution, error) {
	b, h := tx.b, tx.Held
	paths := make([]string, len(i.Parts))
	for k, p := range i.Parts {
		paths[k] = p.File.Change.Path
		if !p.File.Outside {
			next.Progress.MarkSent(next.Current, paths[k], p.Sent(i.Verdict))
		}
	}
	x := &Execution{b: b, held: h, intent: i, begun: b.now(), done: make(chan struct{}), seen: map[int]edits.Applied{}}
	next.Updated = x.begun.UTC()
	if !i.Undoes() {
		next.Progress.Proceed(next.Updated)
	}
	var err error
	x.id, err = b.store.Begin(ctx, b.session.Key(), next, d, paths)
	if errors.Is(err, store.ErrNotAsShown) {
		tx.Reread(ctx)
		return nil, view.NotAsShown(h.Number())
	}
	if err != nil {
		return nil, b.StoreError(h.Number(), err)
	}
	tx.swapWith(next, func(t *table, e *entry) { e.execution, e.looked, x.tally = x, true, t.newTally(e, x) }, events...)
	return x, nil
}

// Await waits until an execution has ended, at most for within, and returns its result so far. If
// the execution has not ended, it continues in the background, and an event reports its result.
func (x *Execution) Await(ctx context.Context, within time.Duration) (state.Result, error) {
	b, h := x.b, x.held
	select {
	case <-x.done:
		return x.result, x.err
	case <-time.After(within):
	case <-ctx.Done():
		ended := false
		b.with(h, func(t *table, e *entry) {
			x.late, ended = true, x.ended // it has just been stored
			t.reportLate(e, x)
		})
		if ended {
			b.Announce(h, "")
		}
		return state.Result{}, ctx.Err()
	}
	t := b.lock()
	defer t.unlock()
	x.late = x.late || !x.ended // otherwise it has just ended
	return t.resultOf(t.of(h), x), x.err
}

// Report makes an event report the result of an execution whose decision came from another process: nobody
// shows its answer in this session's editor.
func (x *Execution) Report() {
	x.b.with(x.held, func(*table, *entry) { x.late = true })
}

// End ends an execution for which the editor was asked; err is why it failed, or nil. If no
// result could be recorded, the text decides, as after a crash. The plan must not be locked.
func (x *Execution) End(err error) {
	b, h := x.b, x.held
	lost := !x.noted.Load()
	if lost {
		b.with(h, func(_ *table, e *entry) { e.finish(x) })
		b.store.Forsake(x.id)
		if err := b.Follower.Refresh(b.root); err != nil {
			b.log.Error("the outcome of an execution could not be recorded", zap.Int("plan", h.Number()), zap.Error(err))
		} else {
			b.Reconciler.tryReconcile(b.root, h, evidence{asked: true})
		}
	}
	end := func(t *table, e *entry) {
		if x.ended = lost || !x.waiting; x.ended {
			e.finish(x)
		}
		x.late = x.late || x.waiting
		x.result, x.err = t.resultOf(e, x), err
		t.reportLate(e, x)
	}
	known := false
	b.with(h, func(t *table, e *entry) {
		if known = e.execution == x && !x.waiting; known { // nobody else changes the plan
			end(t, e)
		}
	})
	if !known {
		tx := b.Lock(h) // a reconcile that has settled x has stored that already
		b.with(h, end)
		tx.Unlock()
	}
	close(x.done)
	b.Announce(h, "")
}

// finish ends the plan's execution if it is x.
func (h *entry) finish(x *Execution) {
	if h.execution == x {
		h.execution = nil
	}
}

// reportLate adds the result of an execution to the next event about its plan, if the execution
// ended after its decision was answered.
func (t *table) reportLate(h *entry, x *Execution) {
	if x.ended && x.late {
		h.outcome = t.outcomeOf(h, x)
	}
}

// tryAgain is how long AwaitExecution waits for another process, or for an editor that has not
// answered.
const tryAgain = 200 * time.Millisecond

// AwaitExecution waits until no decision on a plan is being carried out, or for a limited time:
// check, and call it again if needed. It returns the error of ctx, or of reading the plan again.
func (b *Board) AwaitExecution(ctx context.Context, h *Held) error {
	if x := b.peek(h).execution; x != nil {
		select {
		case <-x.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if b.peek(h).execution == nil && h.Plan().State != plan.Executing {
		return nil
	}
	select {
	case <-time.After(tryAgain):
	case <-ctx.Done():
		return ctx.Err()
	}
	tx, err := b.Open(ctx, h.Number())
	if err == nil {
		tx.Unlock()
	}
	return err
}

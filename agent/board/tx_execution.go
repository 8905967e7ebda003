package board

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
)

// answerWithin is how long a decision waits for its execution. Some editors block until a
// command is answered, or drop the answer after 20 s.
const answerWithin = 5 * time.Second

// Begin stores a decision with the intent to carry it out, before anything is sent to the
// editor. next is the plan while x is carried out, to which the events have led.
func (tx *Tx) Begin(ctx context.Context, x *Execution, next *plan.Plan, d *plan.Decision, events ...plan.Event) error {
	b, h := tx.b, tx.Held
	paths := make([]string, len(x.Parts))
	for i, p := range x.Parts {
		paths[i] = p.File.Change.Path
		if !p.File.Outside {
			next.Progress.MarkSent(next.Current, paths[i], p.Sent(x.asked()))
		}
	}
	x.begun, x.Done = b.now(), make(chan struct{})
	next.Updated = x.begun.UTC()
	id, err := b.store.Begin(ctx, b.workspaceKey(), next, d, paths)
	if errors.Is(err, store.ErrNotAsShown) {
		tx.Reread(ctx)
		return decision.NotAsShown(h.Number())
	}
	if err != nil {
		return b.StoreError(h.Number(), err)
	}
	x.id = id
	t := b.lock()
	t.of(h).execution, t.of(h).looked, x.tally = x, true, t.newTally(t.of(h), x)
	t.unlock()
	b.swap(h, next, events...)
	return nil
}

// Conclude stores what came of the parts of an execution, which next has, and moves the plan
// on. If the editor has not answered for a file (waiting), the text will settle that.
func (tx *Tx) Conclude(x *Execution, next *plan.Plan, waiting bool) error {
	t := tx.b.lock()
	x.waiting = waiting
	t.unlock()
	return tx.b.conclude(tx.Held, x, next)
}

// Ended ends an execution for which the editor was asked: err is why it failed, nil if not.
// If nothing of it could be recorded, the text tells what came of it, as after the end of a
// process. The caller has locked no plan.
func (b *Board) Ended(h *Held, x *Execution, err error) {
	unlock := b.lockPlan(h)
	lost := !x.noted
	unlock()
	t := b.lock()
	x.Err = err
	if (lost || !x.waiting) && t.of(h).execution == x {
		t.of(h).execution = nil
	}
	t.unlock()
	if lost {
		b.store.Forsake(x.id)
		if err := b.Refresh(b.root); err != nil {
			b.log.Error("what came of an execution could not be recorded", zap.Int("plan", h.Number()), zap.Error(err))
		} else {
			b.reconcileLogged(b.root, h, evidence{asked: true})
		}
	}
	t = b.lock()
	x.ended, x.late = lost || !x.waiting, x.late || x.waiting
	x.result = t.resultOf(t.of(h), x)
	t.tellLate(t.of(h), x)
	t.changed(t.of(h))
	t.unlock()
	close(x.Done)
	b.RefreshPreview(h)
	b.Announce(h, "")
}

// Await waits until an execution has ended, at most five seconds, and returns what came of it
// so far. The execution goes on after that, and an event tells how it ended.
func (b *Board) Await(ctx context.Context, h *Held, x *Execution) (state.Result, error) {
	timer := time.NewTimer(answerWithin)
	defer timer.Stop()
	select {
	case <-x.Done:
		return x.result, x.Err
	case <-timer.C:
	case <-ctx.Done():
		t := b.lock()
		x.late = true
		t.tellLate(t.of(h), x)
		ended := x.ended // just now
		t.unlock()
		if ended {
			b.Announce(h, "")
		}
		return state.Result{}, ctx.Err()
	}
	t := b.lock()
	defer t.unlock()
	if x.ended { // just now
		return x.result, x.Err
	}
	x.late = true
	return t.resultOf(t.of(h), x), nil
}

// tellLate has the next event about the plan tell what came of an execution that has ended after
// its decision was answered.
func (t *table) tellLate(h *entry, x *Execution) {
	if x.ended && x.late {
		h.outcome = t.outcomeOf(h, x)
	}
}

// ResultOf returns what came of an execution as the plan stands.
func (b *Board) ResultOf(h *Held, x *Execution) state.Result {
	t := b.lock()
	defer t.unlock()
	return t.resultOf(t.of(h), x)
}

// resultOf is ResultOf for a caller that holds Board.mu.
func (t *table) resultOf(h *entry, x *Execution) state.Result {
	r := state.Result{
		Plan: h.Plan().Number, Revision: h.Revision().Number, State: string(h.Plan().State),
		Files: []state.FileResult{}, Commands: t.rules.states(h.Plan(), h.Revision()),
	}
	if len(x.Parts)+len(x.Made) > 0 {
		r.Outcome = t.outcomeOf(h, x)
	}
	for _, p := range x.files() {
		if p.File.Outside {
			r.Files = append(r.Files, pastResult(p, h.Plan()))
			continue
		}
		v := t.current(h, p.File)
		r.Files = append(r.Files, state.FileResult{Path: p.File.Change.Path, Status: string(v.Status), Reason: v.Reason})
	}
	return r
}

// pastResult is the outcome of a file that the current revision does not touch.
func pastResult(p decision.Part, now *plan.Plan) state.FileResult {
	r := state.FileResult{Path: p.File.Change.Path, Status: string(plan.FileApplied)}
	if p.EarlierTaken(now) {
		r.Status, r.Reason = string(plan.FilePending), "what an earlier revision had applied was taken back"
	}
	return r
}

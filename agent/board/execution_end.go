package board

import (
	"context"
	"time"

	"go.uber.org/zap"

	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/state"
)

// answerWithin is how long a decision waits for its execution. Some editors block until a command
// is answered, or drop an answer that takes 20 s.
const answerWithin = 5 * time.Second

// Ended ends an execution for which the editor was asked; err is why it failed, nil if it did
// not. If no result could be recorded, the text decides, as after a crash. It locks the plan.
func (b *Board) Ended(h *Held, x *Execution, err error) {
	tx := b.Lock(h)
	lost := !x.noted
	tx.Unlock()
	b.with(h, func(_ *table, e *entry) {
		if x.err = err; (lost || !x.waiting) && e.execution == x {
			e.execution = nil
		}
	})
	if lost {
		b.store.Forsake(x.id)
		if err := b.Refresh(b.root); err != nil {
			b.log.Error("the outcome of an execution could not be recorded", zap.Int("plan", h.Number()), zap.Error(err))
		} else {
			b.reconcileLogged(b.root, h, evidence{asked: true})
		}
	}
	b.with(h, func(t *table, e *entry) {
		x.ended, x.late = lost || !x.waiting, x.late || x.waiting
		x.result = t.resultOf(e, x)
		t.reportLate(e, x)
		t.changed(e)
	})
	close(x.done)
	b.RefreshPreview(h)
	b.Announce(h, "")
}

// Await waits until an execution has ended, at most five seconds, and returns its result so far.
// After that it continues in the background, and an event reports how it ended.
func (b *Board) Await(ctx context.Context, h *Held, x *Execution) (state.Result, error) {
	select {
	case <-x.done:
		return x.result, x.err
	case <-time.After(answerWithin):
	case <-ctx.Done():
		ended := false
		b.with(h, func(t *table, e *entry) {
			x.late, ended = true, x.ended // just now
			t.reportLate(e, x)
		})
		if ended {
			b.Announce(h, "")
		}
		return state.Result{}, ctx.Err()
	}
	t := b.lock()
	defer t.unlock()
	if x.ended { // just now
		return x.result, x.err
	}
	x.late = true
	return t.resultOf(t.of(h), x), nil
}

// reportLate adds the result of an execution to the next event about its plan, if the execution
// ended after its decision was answered.
func (t *table) reportLate(h *entry, x *Execution) {
	if x.ended && x.late {
		h.outcome = t.outcomeOf(h, x)
	}
}

// ResultOf returns the result of a decision that needs no execution.
func (b *Board) ResultOf(h *Held) state.Result {
	t := b.lock()
	defer t.unlock()
	return t.resultOf(t.of(h), &Execution{})
}

// resultOf returns the result of an execution so far.
func (t *table) resultOf(h *entry, x *Execution) state.Result {
	r := state.Result{
		Plan: h.Plan().Number, Revision: h.Revision().Number, State: string(h.Plan().State),
		Files: []state.FileResult{}, Commands: t.rules.states(h.Plan(), h.Revision()),
	}
	files := x.intent.files()
	if len(files) > 0 {
		r.Outcome = t.outcomeOf(h, x)
	}
	for _, p := range files {
		if p.File.Outside {
			r.Files = append(r.Files, pastResult(p, h.Plan()))
			continue
		}
		v := t.current(h, p.File)
		r.Files = append(r.Files, state.FileResult{Path: p.File.Change.Path, Status: string(v.Status), Reason: v.Reason})
	}
	return r
}

// pastResult returns the result for a file that the current revision does not touch.
func pastResult(p decision.Part, now *plan.Plan) state.FileResult {
	r := state.FileResult{Path: p.File.Change.Path, Status: string(plan.FileApplied)}
	if p.Taken(now) {
		r.Status, r.Reason = string(plan.FilePending), "what an earlier revision had applied was taken back"
	}
	return r
}

// tryAgain is how long AwaitExecution waits for another process, or for an editor that has not
// answered.
const tryAgain = 200 * time.Millisecond

// AwaitExecution waits until no decision on a plan is being carried out, or for a while: check,
// and call it again if need be. The error is that of ctx, or of reading the plan again.
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
	if err := b.Refresh(ctx); err != nil {
		return err
	}
	return b.Reconcile(ctx, h)
}

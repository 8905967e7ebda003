package turn

import (
	"context"

	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/tool"
)

// handleStepwise handles a change of which the user is asked about each operation as it is
// staged, while the turn continues.
func (ts *Turns) handleStepwise(ctx context.Context, w *work) (err error) {
	if w.revised, err = ts.revisions.beginRevision(w.turn, true); err != nil {
		return err
	}
	w.draft = draft.New(ts.ws)
	k := &stepwise{ts: ts, t: w.turn, env: ts.env(w), held: w.revised}
	defer k.end()
	if err := k.begin(ctx); err != nil {
		return err
	}
	if w.continued != nil { // it may have been staged before the stepwise mode, and not offered
		k.lost = ts.revisions.stageAgain(ctx, w.turn, k.env.Draft, 0, "the files as they are now", w.continued.parked.Draft.Operations)
		k.env.Draft.Refuse(w.continued.parked.Draft.Refused...)
	}
	w.draft = k.env.Draft
	w.turn.Update(func(r *conversation.Result) { r.AskedEach = true })
	system, err := ts.changeSystem(ctx, w.revised)
	if err != nil {
		return err
	}
	messages, err := ts.request(ctx, w, system+"\n"+ts.texts.prompt("offered"))
	if err != nil {
		return err
	}
	runErr := ts.converse(ctx, w, messages, tool.All(), k.env, k.hooks(ts.hooks(w)))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := k.flush(ctx); err != nil {
		return err
	}
	if q := w.outcome.Asked; q != nil { // what was staged is in the plan already
		w.revised, w.draft = k.held, nil
		return ts.park(ctx, w, q)
	}
	if runErr == nil || k.held != nil {
		ts.remember(w.turn, withUndone(w.outcome.Text, w.undone))
	}
	return runErr
}

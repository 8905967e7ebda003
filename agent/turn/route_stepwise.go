package turn

import (
	"context"

	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/tool"
)

// handleStepwise handles a change in the stepwise mode: the user is asked about each operation
// as it is staged, while the turn continues.
func handleStepwise(ctx context.Context, w *work) (err error) {
	if w.revised, err = w.revisions.begin(w.turn, true); err != nil {
		return err
	}
	w.env = w.envFor(draft.New(w.ws))
	k := &stepwise{work: w}
	defer k.end()
	if err := k.begin(ctx); err != nil {
		return err
	}
	if w.turn.continued != nil { // it may have been staged before the stepwise mode, and not offered
		k.lost = w.revisions.stageAgain(ctx, w.turn, k.env.Draft, 0, "the files as they are now", w.turn.continued.parked.Draft.Operations)
		k.env.Draft.Refuse(w.turn.continued.parked.Draft.Refused...)
	}
	w.turn.Update(func(r *conversation.Result) { r.AskedEach = true })
	system, err := w.changeSystem(ctx)
	if err != nil {
		return err
	}
	messages, err := w.request(ctx, system+"\n"+w.prompt("offered"))
	if err != nil {
		return err
	}
	runErr := w.converse(ctx, messages, tool.All(), k.hooks())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := k.flush(ctx); err != nil {
		return err
	}
	if q := w.outcome.Asked; q != nil {
		return w.park(ctx, q)
	}
	if runErr == nil || w.revised != nil {
		w.remember(withUndone(w.outcome.Text, w.undone))
	}
	return runErr
}

package board

import (
	"context"
	"time"

	"redline/agent/plan"
)

// tryAgain is how long AwaitExecution waits for an editor that has not answered, and for
// another process.
const tryAgain = 200 * time.Millisecond

// AwaitExecution waits until no decision on a plan is being carried out, or long enough
// that looking again is worth it: the caller checks, and calls it again if need be. The error is that
// of ctx, or of reading the plan again.
func (b *Board) AwaitExecution(ctx context.Context, h *Held) error {
	t := b.lock()
	x := t.of(h).execution
	t.unlock()
	if x != nil {
		select {
		case <-x.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	t = b.lock()
	settled := t.of(h).execution == nil && h.Plan().State != plan.Executing
	t.unlock()
	if settled {
		return nil
	}
	timer := time.NewTimer(tryAgain)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := b.Refresh(ctx); err != nil {
		return err
	}
	return b.Reconcile(ctx, h)
}

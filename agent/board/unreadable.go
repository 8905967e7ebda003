package board

import (
	"cmp"
	"context"
	"strings"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/state"
)

// notRead logs why a plan could not be read. If the cause is the plan itself, it also records
// the plan, so that lists show it and the user can reject it.
func (b *Board) notRead(p *plan.Plan, err error) {
	broken := *p
	broken.Unreadable = cmp.Or(p.Unreadable, strings.TrimSuffix(err.Error(), "."))
	b.log.Error("a plan could not be read", zap.Int("plan", p.Number), zap.String("error", broken.Unreadable))
	if !cannotBeRead(err) {
		return
	}
	t := b.lock()
	defer t.unlock()
	t.broken[p.Number] = &broken
	t.forgetHeld(p.Number)
}

// UnreadablePlan returns a plan that cannot be read, nil if there is none.
func (b *Board) UnreadablePlan(n int) *plan.Plan {
	t := b.lock()
	defer t.unlock()
	return t.broken[n]
}

// refuseUnreadable returns the refusal of every decision on an unreadable plan except its
// rejection.
func refuseUnreadable(p *plan.Plan) error {
	return plan.Refuse(plan.WrongState, "Plan %d cannot be read (%s). Reject it, or restore the plan database from a copy.", p.Number, p.Unreadable)
}

// UnreadableState returns an unreadable plan in the form that clients see: its goal, its state,
// and why there is nothing else.
func UnreadableState(p *plan.Plan) state.Plan {
	s := emptyState(p)
	s.Description = refuseUnreadable(p).Error()
	return s
}

// Discard stores the decision to cancel a plan that cannot be read, and returns the plan.
func (b *Board) Discard(ctx context.Context, p *plan.Plan, d *plan.Decision) (*plan.Plan, error) {
	tx := b.lockNumber(p.Number)
	defer tx.Unlock()
	if err := b.store.Discard(ctx, b.session.Key(), p, d); err != nil {
		return nil, err
	}
	done := *p
	done.State = plan.Cancelled
	t := b.lock()
	defer t.unlock()
	t.broken[p.Number] = &done
	t.snapshot = nil
	return &done, nil
}

package turn

import (
	"context"
	"fmt"
	"slices"

	"redline/agent/chat"
	"redline/agent/plan"
	"redline/agent/store"
)

// rate stores the user's rating of a plan: the named one, or the last finished one.
func (cs *Commands) rate(ctx context.Context, conversation string, s chat.Slash) (string, error) {
	n := s.Plan
	if n == 0 {
		var err error
		if n, err = cs.lastFinished(ctx, conversation); err != nil {
			return "", err
		}
	}
	p, err := cs.Decisions.Rate(ctx, n, s.Rating)
	return fmt.Sprintf("Plan %d is rated %d of 5; redline stats shows all ratings.", n, p.Rating), err
}

// lastFinished returns the plan that was completed or cancelled last, first of the conversation,
// then of the workspace.
func (cs *Commands) lastFinished(ctx context.Context, conversation string) (int, error) {
	for _, of := range []string{conversation, ""} {
		plans, err := cs.Session.Store.Plans(ctx, cs.Session.Key(), store.Filter{Conversation: of})
		if err != nil {
			return 0, err
		}
		plans = slices.DeleteFunc(plans, func(p *plan.Plan) bool { return p.State.Open() })
		if len(plans) > 0 {
			return slices.MaxFunc(plans, func(a, b *plan.Plan) int { return a.Updated.Compare(b.Updated) }).Number, nil
		}
	}
	return 0, plan.Refuse(plan.NoSuchPlan, "No plan is finished yet. Name the one that you rate: /rate N good.")
}

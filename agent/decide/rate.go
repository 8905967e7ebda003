package decide

import (
	"context"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/state"
)

// Rate records the user's rating of a plan, from 1 to 5. A plan can be rated in any state, any
// number of times. The plan's time of last change stays the same, because a rating decides
// nothing.
func (ds *Decisions) Rate(ctx context.Context, n, rating int) (state.Plan, error) {
	if rating < 1 || rating > 5 {
		return state.Plan{}, plan.Refuse(plan.Invalid, "A rating is a number from 1 to 5, and %d is not.", rating)
	}
	h, err := ds.board.Find(ctx, n)
	if err != nil {
		return state.Plan{}, err
	}
	return ds.announced(h, ds.locked(h, func(tx *board.Tx) error {
		next := h.Plan().Clone()
		if tx.Executing() || next.State == plan.Drafting {
			return plan.Refuse(plan.Busy, "Plan %d is being worked on: rate it once that is done.", next.Number)
		}
		next.Rating = rating
		return tx.Save(ctx, next, nil)
	}))
}

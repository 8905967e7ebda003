package agent

import (
	"context"

	"redline/agent/state"
)

// State returns the plans and the turns of this session, newest last, and the model. Unless all
// is true, the plans are the open ones and the last 20.
func (a *Agent) State(ctx context.Context, all bool) (state.State, error) {
	plans, err := a.board.PlanStates(ctx, all)
	if err != nil {
		return state.State{}, err
	}
	return state.State{Plans: plans, Turns: a.conversations.States(), Model: a.ModelState()}, nil
}

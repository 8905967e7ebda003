package agent

import (
	"context"

	"redline/agent/state"
)

// State returns the plans and the turns of this session, newest last, and the model. Unless all
// is true, the plans are the open ones and the last 20.
func (ts *Turns) State(ctx context.Context, all bool) (state.State, error) {
	plans, err := ts.board.PlanStates(ctx, all)
	if err != nil {
		return state.State{}, err
	}
	return state.State{Plans: plans, Turns: ts.conversations.States(), Model: ts.ModelState()}, nil
}

// ModelState returns the model in use.
func (ts *Turns) ModelState() state.Model {
	info := ts.model.Info()
	return state.Model{Provider: info.Provider, Name: info.Name}
}

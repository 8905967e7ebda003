package command

import (
	"context"

	"redline/agent/state"
	"redline/lsp/wire"
)

type stateArgs struct {
	All bool `json:"all,omitempty"` // all plans of the workspace; else the open ones and the last 20
}

// state returns the plans, the turns of this session and the model, and notes that the client
// was shown the plans. If no folder is open there are none.
func (r *Runner) state(args stateArgs) (wire.Run, error) {
	return func(ctx context.Context) (any, error) {
		if r.Backend.Agent() != nil && len(r.Workspace.Folders()) == 0 {
			return state.State{Plans: []state.Plan{}, Turns: []state.Turn{}, Model: r.Backend.Agent().ModelState()}, nil
		}
		a, err := r.Backend.Ready(ctx)
		if err != nil {
			return nil, err
		}
		state, err := a.State(ctx, args.All)
		if err != nil {
			return nil, err
		}
		for _, p := range state.Plans {
			r.noteShown(p)
		}
		state.Plans = r.Positions.Plans(state.Plans)
		return state, nil
	}, nil
}

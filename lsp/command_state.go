package lsp

import (
	"context"

	"redline/agent"
	"redline/agent/plan"
	"redline/lsp/wire"
)

type stateArgs struct {
	All bool `json:"all,omitempty"` // all plans of the workspace; else the open ones and the last 20
}

// state tells the plans, the turns of this session and the model. Whoever has
// read it was shown the plans in it. Where no folder is open there are none.
func (s *session) state(args stateArgs) (wire.Run, error) {
	return func(ctx context.Context) (any, error) {
		if s.agent != nil && len(s.workspace.Folders()) == 0 {
			return agent.State{Plans: []agent.PlanState{}, Turns: []agent.TurnState{}, Model: s.agent.ModelState()}, nil
		}
		a, err := s.ready(ctx)
		if err != nil {
			return nil, err
		}
		state, err := a.State(ctx, args.All, s.client.encoding)
		if err != nil {
			return nil, err
		}
		for _, p := range state.Plans {
			s.noteTold(p)
		}
		return state, nil
	}, nil
}

// noteTold records that the client was told a plan: whoever has read it was shown
// its revision.
func (s *session) noteTold(p agent.PlanState) {
	if plan.State(p.State).Open() {
		s.noteRevision(p.Plan, p.Revision, p.Hash)
	} else { // it is on record from when it was decided
		s.shown.note(p.Plan, p.Revision, p.Hash)
	}
}

// told is the answer of a command whose result is a plan.
func (s *session) told(p agent.PlanState, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	s.noteTold(p)
	return p, nil
}

package lsp

import (
	"context"

	"redline/lsp/wire"
)

type stateArgs struct {
	All bool `json:"all"`
}

// state tells the plans, the turns of this session and the model. Whoever has
// read it was shown the plans in it.
func (s *session) state(args stateArgs) (wire.Run, error) {
	return func(ctx context.Context) (any, error) {
		a, err := s.ready(ctx)
		if err != nil {
			return nil, err
		}
		state, err := a.State(ctx, args.All, s.client.encoding)
		if err != nil {
			return nil, err
		}
		for _, p := range state.Plans {
			s.shown.note(p.Plan, p.Revision, p.Hash)
		}
		return state, nil
	}, nil
}

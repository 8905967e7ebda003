package lsp

import (
	"context"

	"redline/lsp/wire"
)

// undo takes back what was applied of a plan, of one of its files or of a hunk.
func (s *session) undo(args decideArgs) (wire.Run, error) {
	d, err := s.decide(commandUndo, args)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		a, err := s.ready(ctx)
		if err != nil {
			return nil, err
		}
		return s.carryOut(ctx, d, a.Undo)
	}, nil
}

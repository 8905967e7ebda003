package lsp

import (
	"context"

	"redline/lsp/wire"
)

// undo takes back what was applied of a plan, of one of its files or of a hunk.
func (s *session) undo(args decideArgs) (wire.Run, error) {
	d, err := decisionOf(commandUndo, args, s.client.name)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		a, err := s.backend.ready(ctx)
		if err != nil {
			return nil, err
		}
		return s.decisions.carryOut(ctx, d, a.Undo)
	}, nil
}

package lsp

import (
	"context"

	"redline/agent"
	"redline/lsp/wire"
)

// undo takes back what was applied of a plan or of one of its files.
func (s *session) undo(args decideArgs) (wire.Run, error) {
	d, err := s.decide(commandUndo, args)
	if err != nil {
		return nil, err
	}
	if len(d.Hunks) > 0 {
		return nil, &agent.Refusal{Kind: agent.NotAllowed,
			Reason: "A single change cannot be undone yet: undo the file or the plan, or use the editor's own undo."}
	}
	return func(ctx context.Context) (any, error) {
		a, err := s.ready(ctx)
		if err != nil {
			return nil, err
		}
		return s.carryOut(ctx, a, d, true)
	}, nil
}

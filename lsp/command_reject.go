package lsp

import (
	"context"

	"redline/lsp/wire"
)

// reject strikes out what the argument names. Its result is the plan.
func (s *session) reject(args decideArgs) (wire.Run, error) {
	d, err := decisionOf(commandReject, args, s.client.name)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (any, error) {
		a, err := s.backend.ready(ctx)
		if err != nil {
			return nil, err
		}
		if err := s.decisions.bind(ctx, a, &d); err != nil {
			return nil, err
		}
		return s.decisions.told(a.Reject(ctx, d, s.client.encoding))
	}, nil
}

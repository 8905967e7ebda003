package lsp

import (
	"context"

	"redline/lsp/wire"
)

type rollbackArgs struct {
	Plan     int `json:"plan"`     // the number of the plan
	Revision int `json:"revision"` // the revision whose content the new one has
}

// rollback makes a further revision with the content of an earlier one.
func (s *session) rollback(args rollbackArgs) (wire.Run, error) {
	if err := needsPlan(commandRollback, args.Plan); err != nil {
		return nil, err
	}
	if args.Revision < 1 {
		return nil, invalidParams(commandRollback + `: "revision" must be the number of a revision, 1 or more.`)
	}
	return func(ctx context.Context) (any, error) {
		a, err := s.backend.ready(ctx)
		if err != nil {
			return nil, err
		}
		return s.decisions.told(a.Rollback(ctx, args.Plan, args.Revision, s.client.encoding))
	}, nil
}

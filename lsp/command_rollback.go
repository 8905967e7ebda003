package lsp

import (
	"redline/agent"
	"redline/lsp/wire"
)

type rollbackArgs struct {
	Plan     int `json:"plan"`
	Revision int `json:"revision"`
}

// rollback would go back to an earlier revision.
func (s *session) rollback(args rollbackArgs) (wire.Run, error) {
	if err := needsPlan(commandRollback, args.Plan); err != nil {
		return nil, err
	}
	return nil, &agent.Refusal{Kind: agent.NotAllowed,
		Reason: "Going back to an earlier revision is not possible yet: rework the plan and say what to go back to."}
}

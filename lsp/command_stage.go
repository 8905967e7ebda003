package lsp

import (
	"redline/agent"
	"redline/lsp/wire"
)

type stageArgs struct {
	Plan   int      `json:"plan"`
	Remove []string `json:"remove"`
	Order  []string `json:"order"`
	Clear  bool     `json:"clear"`
}

// stage would change a plan's operations.
func (s *session) stage(args stageArgs) (wire.Run, error) {
	if err := needsPlan(commandStage, args.Plan); err != nil {
		return nil, err
	}
	return nil, &agent.Refusal{Kind: agent.NotAllowed,
		Reason: "A plan's operations cannot be changed by command yet: reject the parts that you do not want, or rework the plan."}
}

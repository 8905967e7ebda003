package lsp

import (
	"redline/agent"
	"redline/lsp/wire"
)

type reviewArgs struct {
	Plan int `json:"plan"`
}

// review would put a plan into the editor's own review of edits.
func (s *session) review(args reviewArgs) (wire.Run, error) {
	if err := needsPlan(commandReview, args.Plan); err != nil {
		return nil, err
	}
	return nil, &agent.Refusal{Kind: agent.NotAllowed,
		Reason: "The editor's own review cannot be used yet: approve or reject the changes one by one, or look at the preview."}
}

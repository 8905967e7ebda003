package lsp

import (
	"context"
	"encoding/json"
)

// cancelProgressParams are WorkDoneProgressCancelParams; a token that is not
// one of ours is not an error.
type cancelProgressParams struct {
	Token json.RawMessage `json:"token"`
}

// cancelProgress cancels the turn whose progress the user cancelled.
func (s *session) cancelProgress(_ context.Context, p *cancelProgressParams) error {
	var turn string
	if json.Unmarshal(p.Token, &turn) != nil || turn == "" || s.backend.Agent() == nil {
		return nil
	}
	s.conn.Go("cancel", func(context.Context) { s.backend.Agent().Cancel(turn) })
	return nil
}

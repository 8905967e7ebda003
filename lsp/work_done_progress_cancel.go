package lsp

import (
	"context"
	"encoding/json"
)

// cancelProgressParams are WorkDoneProgressCancelParams. An unknown token is not an error.
type cancelProgressParams struct {
	Token json.RawMessage `json:"token"`
}

// cancelProgress cancels the turn whose progress the user has cancelled (LSP 3.18, "Cancelling a
// Work Done Progress").
func (s *session) cancelProgress(_ context.Context, p *cancelProgressParams) error {
	var turn string
	if json.Unmarshal(p.Token, &turn) != nil || turn == "" || s.backend.Agent() == nil {
		return nil
	}
	s.conn.Go("cancel", func(context.Context) { s.backend.Agent().Cancel(turn) })
	return nil
}

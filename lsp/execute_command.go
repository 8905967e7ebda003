package lsp

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"redline/lsp/wire"
)

type executeCommandParams struct {
	Command   string           `json:"command"`
	Arguments []jsontext.Value `json:"arguments"`
}

// executeCommand runs a command (LSP 3.18, "Execute a command").
func (s *session) executeCommand(_ context.Context, p *executeCommandParams) (wire.Run, error) {
	return s.commands.Execute(p.Command, p.Arguments)
}

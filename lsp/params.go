package lsp

import (
	"go.lsp.dev/protocol"

	"redline/lsp/position"
)

// documentParams are the params of a message about a document, with the URI as the client
// spells it.
type documentParams struct {
	TextDocument position.TextDocument `json:"textDocument"`
}

// positionParams are TextDocumentPositionParams with the URI as the client spells it.
type positionParams struct {
	TextDocument position.TextDocument `json:"textDocument"`
	Position     protocol.Position     `json:"position"`
}

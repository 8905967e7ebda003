package lsp

import (
	"go.lsp.dev/protocol"

	"redline/lsp/location"
)

// documentParams are the params of a message about a document, with the URI as the client
// spells it.
type documentParams struct {
	TextDocument location.TextDocument `json:"textDocument"`
}

// positionParams are TextDocumentPositionParams with the URI as the client spells it.
type positionParams struct {
	TextDocument location.TextDocument `json:"textDocument"`
	Position     protocol.Position     `json:"position"`
}

package lsp

import (
	"context"
	"encoding/json"
	"fmt"

	"redline/lsp/backend"
	"redline/lsp/pages"
	"redline/lsp/wire"
)

// textDocumentContentParams are TextDocumentContentParams with the URI as the client spells it,
// which a refresh must repeat.
type textDocumentContentParams struct {
	URI string `json:"uri"`
}

// textDocumentContent returns the text of a virtual document (LSP 3.18, "Text Document Content
// Request"). One refresh follows when it is out of date: a client that still shows it asks
// again.
func (s *session) textDocumentContent(_ context.Context, p *textDocumentContentParams) (wire.Run, error) {
	name, ok := pages.ParseVirtual(p.URI)
	if !ok {
		return nil, backend.InvalidParams(fmt.Sprintf("There is no document %.200q: use redline:/plan/N/proposed/PATH, redline:/plan/N/base/PATH or redline:/plan/N/rM/PATH.", p.URI))
	}
	return func(ctx context.Context) (any, error) {
		if _, err := s.backend.Ready(ctx); err != nil {
			return nil, backend.Error(err)
		}
		made, text, err := s.virtual.Text(ctx, name)
		if err != nil {
			return nil, backend.Error(err)
		}
		s.refresher.Gave(p.URI, made)
		raw, err := json.Marshal(text)
		return json.RawMessage(raw), err
	}, nil
}

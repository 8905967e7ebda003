package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/lsp/diagnostics"
	"redline/lsp/position"
	"redline/lsp/wire"
)

// maxHints is the largest number of hints in one answer. Most editors ask only for the part of
// the document on the screen.
const maxHints = 200

type inlayHintParams struct {
	TextDocument position.TextDocument `json:"textDocument"`
	Range        protocol.Range        `json:"range"`
}

// inlayHint shows what each undecided hunk does, at the end of its first line (LSP 3.18, "Inlay
// Hint Request"), if the user has turned that on.
func (s *session) inlayHint(_ context.Context, p *inlayHintParams) (wire.Run, error) {
	s.refresher.Asked(diagnostics.RefreshInlayHint)
	if !s.settings.ui().InlayHints {
		return emptyList, nil
	}
	at := s.locations.Find(p.TextDocument.URI, p.Range)
	return func(context.Context) (any, error) {
		return wire.EncodeList(hintsOf(at))
	}, nil
}

// hintsOf returns the hints in a range of a document.
func hintsOf(at position.Location) (list []protocol.InlayHint) {
	before := true
	for p, f := range at.Files {
		if !p.Plan.State.Decidable() {
			continue
		}
		for _, h := range at.Hunks(f, view.Hunk.Undecided) {
			if len(list) == maxHints {
				return list
			}
			end := f.Live.Content(f.Live.LineOf(h.Span.Start))
			end.Start = end.End
			label := fmt.Sprintf("%d.%s: %s", p.Plan.Number, h.ID, diagnostics.Summary(f, h))
			if h.Status == plan.HunkStale {
				label += " (stale)"
			}
			list = append(list, protocol.InlayHint{
				Position: at.Range(f.Live, end).Start, Label: protocol.String(label), PaddingLeft: &before,
			})
		}
	}
	return list
}

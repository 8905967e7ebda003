package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"go.lsp.dev/jsonrpc2"

	"redline/internal/wire"
	"redline/lsp/diagnostics"
	"redline/lsp/position"
)

// diagnosticParams are DocumentDiagnosticParams with the URI as the client spells it.
type diagnosticParams struct {
	TextDocument     position.TextDocument `json:"textDocument"`
	PreviousResultID string                `json:"previousResultId"`
}

// diagnosticReport is a full or an unchanged report. The result ID is a checksum of the items,
// so it is the same in another session.
type diagnosticReport struct {
	Kind     string          `json:"kind"`
	ResultID string          `json:"resultId,omitzero"`
	Items    json.RawMessage `json:"items,omitzero"` // of a full report a list, which may be empty
}

// diagnostic returns the diagnostics of a document (LSP 3.18, "Document Diagnostics"). It is
// offered only to a client that takes no published diagnostics: any other would show each hunk
// twice.
func (s *session) diagnostic(_ context.Context, p *diagnosticParams) (wire.Run, error) {
	if !s.client.pull {
		return nil, notOffered("textDocument/diagnostic")
	}
	s.refresher.Asked(diagnostics.RefreshDiagnostic)
	at := p.TextDocument.URI
	if path, ok := s.workspace.PathOf(at); ok {
		at = s.workspace.URI(path) // one document may have several spellings
	}
	now := s.diagnostics.Now()
	return func(context.Context) (any, error) {
		m := now.Documents()[at]
		for _, plan := range m.Plans {
			s.shown.NoteView(plan)
		}
		return report(now, m, p.PreviousResultID)
	}, nil
}

// report returns the diagnostics of a document, or reports that the client already has them.
func report(s diagnostics.Sources, m diagnostics.Document, has string) (diagnosticReport, error) {
	items, err := wire.EncodeList(s.List(m))
	if err != nil {
		return diagnosticReport{}, err
	}
	sum := sha256.Sum256(items)
	id := hex.EncodeToString(sum[:8])
	if id == has {
		return diagnosticReport{Kind: "unchanged", ResultID: id}, nil
	}
	return diagnosticReport{Kind: "full", ResultID: id, Items: items}, nil
}

// notOffered returns the error for a request that this client was not offered.
func notOffered(method string) error {
	return wire.Error(jsonrpc2.MethodNotFound, method+" is not offered to this editor, which gets the same in another way.", nil)
}

type workspaceDiagnosticParams struct {
	PreviousResultIDs []struct {
		URI   string `json:"uri"`
		Value string `json:"value"`
	} `json:"previousResultIds"`
}

// workspaceDiagnosticReport is the report of one document. Its version is null, since some
// clients drop a report for any version but their current one.
type workspaceDiagnosticReport struct {
	URI     string `json:"uri"`
	Version *int   `json:"version"`
	diagnosticReport
}

// workspaceDiagnostic returns the diagnostics of all documents, open or not (LSP 3.18,
// "Workspace Diagnostics"), and empty reports for documents whose diagnostics are gone but still
// with the client. It answers at once: a client that takes refreshes gets one when to ask again.
func (s *session) workspaceDiagnostic(_ context.Context, p *workspaceDiagnosticParams) (wire.Run, error) {
	if !s.client.pull {
		return nil, notOffered("workspace/diagnostic")
	}
	s.refresher.Asked(diagnostics.RefreshDiagnostic)
	now := s.diagnostics.Now()
	return func(context.Context) (any, error) {
		for _, plan := range now.Snapshot.Plans {
			s.shown.NoteView(plan)
		}
		has := map[string]string{}
		for _, previous := range p.PreviousResultIDs {
			has[previous.URI] = previous.Value
		}
		reports := []workspaceDiagnosticReport{}
		documents := now.Documents()
		for _, uri := range slices.Sorted(maps.Keys(documents)) {
			report, err := report(now, documents[uri], has[uri])
			if err != nil {
				return nil, err
			}
			reports = append(reports, workspaceDiagnosticReport{URI: uri, diagnosticReport: report})
			delete(has, uri)
		}
		for _, uri := range slices.Sorted(maps.Keys(has)) { // without an ID, so that it is not asked about again
			nothing := diagnosticReport{Kind: "full", Items: json.RawMessage("[]")}
			reports = append(reports, workspaceDiagnosticReport{URI: uri, diagnosticReport: nothing})
		}
		return map[string]any{"items": reports}, nil
	}, nil
}

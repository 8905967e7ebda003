package lsp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"redline/lsp/diagnostics"
	"redline/lsp/wire"
)

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

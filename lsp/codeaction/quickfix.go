package codeaction

import (
	"slices"

	"go.lsp.dev/protocol"

	"redline/lsp/diagnostics"
	"redline/lsp/location"
)

// quickFix returns the proposed change that Kate's Quick Fix is for, nil for other requests.
// Kate asks with the one problem at the cursor and the range of the whole document, and runs
// every action that it gets at once, without showing it (22.12). So it gets only the preferred
// action for that change, which other editors run as the quick fix.
func quickFix(r Request) *protocol.Diagnostic {
	if len(r.Diagnostics) != 1 || r.Buffer == nil {
		return nil
	}
	var d protocol.Diagnostic
	if protocol.Unmarshal(r.Diagnostics[0], &d) != nil {
		return nil
	}
	asked := r.Span(r.Buffer.Lines, r.Selection)
	if source, _ := d.Source.Get(); source != diagnostics.Source || asked.Start != 0 || asked.End != len(r.Buffer.Lines.Text()) {
		return nil
	}
	return &d
}

// addPreferred offers the preferred action for one change. There is none if the change cannot
// be approved.
func (m *menu) addPreferred(at location.Location, change *protocol.Diagnostic) {
	m.addHunks(at)
	m.actions = slices.DeleteFunc(m.actions, func(a protocol.CodeAction) bool {
		return a.IsPreferred == nil || a.Diagnostics[0].Code != change.Code
	})
}

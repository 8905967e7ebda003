package apply

import (
	"fmt"

	"go.lsp.dev/protocol"

	"redline/edits"
)

// Omitted is a file that a preview leaves out, as a whole or in part.
type Omitted struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Preview returns one WorkspaceEdit that makes the changes, and what it leaves out.
// Nothing is sent.
func (a *Applier) Preview(changes []edits.Change) (protocol.WorkspaceEdit, []Omitted) {
	var batch []*attempt
	var left []Omitted
	for _, c := range changes {
		t := a.prepare(c)
		switch {
		case t.finished && t.result.Status != edits.Done:
			left = append(left, Omitted{c.Path, t.result.Reason})
		case a.createdByClient(t) && !t.finished:
			batch = append(batch, t)
		case t.onDisk && c.Kind == edits.Create && a.client.Create:
			left = append(left, Omitted{c.Path, "Redline makes this file itself, since no editor can give it its permissions."})
		case t.onDisk:
			left = append(left, Omitted{c.Path, fmt.Sprintf("This editor does not say that it can %s files.", c.Kind)})
		case !t.finished:
			batch = append(batch, t)
		}
	}
	if len(batch) == 0 { // an edit without changes, which every client takes
		return protocol.WorkspaceEdit{Changes: a.encoder.textChanges(nil)}, left
	}
	return a.encoder.workspaceEdit(batch), left
}

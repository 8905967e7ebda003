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

// Preview spells changes as one WorkspaceEdit, and says what cannot be in it.
func (a *Applier) Preview(changes []edits.Change) (protocol.WorkspaceEdit, []Omitted) {
	var batch []*sending
	var left []Omitted
	for _, c := range changes {
		s := a.prepare(c)
		switch {
		case s.settled && s.result.Status != edits.Done:
			left = append(left, Omitted{c.Path, s.result.Reason})
		case a.makesShown(s) && !s.settled:
			batch = append(batch, s)
		case s.onDisk && c.Kind == edits.Create && a.client.Create:
			left = append(left, Omitted{c.Path, "Redline makes this file itself, since no editor can give it its permissions."})
		case s.onDisk:
			left = append(left, Omitted{c.Path, fmt.Sprintf("This editor does not say that it can %s files.", c.Kind)})
		case !s.settled:
			batch = append(batch, s)
		}
	}
	if len(batch) == 0 { // an edit without changes, which every client takes
		return protocol.WorkspaceEdit{Changes: a.textChanges(nil)}, left
	}
	return a.workspaceEdit(batch), left
}

package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"redline/edits"
)

// shownEdit is the result of redline.show with the view "edit".
type shownEdit struct {
	Edit    json.RawMessage `json:"edit"`              // a WorkspaceEdit
	Stale   []string        `json:"stale,omitempty"`   // hunks that fit nowhere now
	Omitted []omitted       `json:"omitted,omitempty"` // files of which the edit says nothing, or not all
}

type omitted struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// showEdit answers with what is undecided of a plan as a WorkspaceEdit on the
// texts of now (LSP 3.18, "WorkspaceEdit"), for a client that previews it
// itself. Nothing is sent and nothing is decided.
func (s *session) showEdit(ctx context.Context, n int) (any, error) {
	a, err := s.ready(ctx)
	if err != nil {
		return nil, err
	}
	changes, stale, err := a.Pending(ctx, n)
	if err != nil {
		return nil, err
	}
	shown := shownEdit{Stale: stale}
	edit, left := s.editor.preview(changes)
	shown.Omitted = left
	if shown.Edit, err = protocol.Marshal(edit); err != nil {
		return nil, err
	}
	if names := shown.left(); len(names) > 0 {
		s.messages.info(fmt.Sprintf("plan %d: the edit leaves out %s.", n, strings.Join(names, ", ")))
	}
	return shown, nil
}

// left names what the edit leaves out.
func (e shownEdit) left() []string {
	var names []string
	for _, id := range e.Stale {
		names = append(names, id+" (stale)")
	}
	for _, o := range e.Omitted {
		names = append(names, o.Path+" ("+strings.TrimSuffix(o.Reason, ".")+")")
	}
	return names
}

// preview spells changes as one WorkspaceEdit, and says what cannot be in it.
func (a *applier) preview(changes []edits.Change) (protocol.WorkspaceEdit, []omitted) {
	var batch []*sending
	var left []omitted
	for _, c := range changes {
		s := a.prepare(c)
		switch {
		case s.settled && s.result.Status != edits.Done:
			left = append(left, omitted{c.Path, s.result.Reason})
		case a.makesShown(s) && !s.settled:
			batch = append(batch, s)
		case s.onDisk && c.Kind == edits.Create && a.client.create:
			left = append(left, omitted{c.Path, "Redline makes this file itself, since no editor can give it its permissions."})
		case s.onDisk:
			left = append(left, omitted{c.Path, fmt.Sprintf("This editor does not say that it can %s files.", c.Kind)})
		case !s.settled:
			batch = append(batch, s)
		}
	}
	if len(batch) == 0 { // an edit without changes, which every client takes
		return protocol.WorkspaceEdit{Changes: a.textChanges(nil)}, left
	}
	return a.workspaceEdit(batch), left
}

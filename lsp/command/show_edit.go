package command

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"redline/lsp/apply"
)

// shownEdit is the result of redline.show with the view "edit".
type shownEdit struct {
	Edit    json.RawMessage `json:"edit"`              // a WorkspaceEdit
	Stale   []string        `json:"stale,omitempty"`   // hunks that fit nowhere now
	Omitted []apply.Omitted `json:"omitted,omitempty"` // files of which the edit says nothing, or not all
}

// showEdit returns what is undecided of a plan as a WorkspaceEdit of the current texts (LSP
// 3.18, "WorkspaceEdit"), for a client that previews it itself. It changes nothing.
func (r *Runner) showEdit(ctx context.Context, n int) (any, error) {
	a, err := r.Backend.Ready(ctx)
	if err != nil {
		return nil, err
	}
	changes, stale, err := a.Pending(ctx, n)
	if err != nil {
		return nil, err
	}
	shown := shownEdit{Stale: stale}
	edit, left := r.Preview(changes)
	shown.Omitted = left
	if shown.Edit, err = protocol.Marshal(edit); err != nil {
		return nil, err
	}
	if names := shown.left(); len(names) > 0 {
		r.Window.Info(fmt.Sprintf("plan %d: the edit leaves out %s.", n, strings.Join(names, ", ")))
	}
	return shown, nil
}

// left returns the hunks and files that the edit leaves out, for a message.
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

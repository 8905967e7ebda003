package acp

import (
	"context"

	"redline/agent/state"
	"redline/edits"
	"redline/workspace"
)

// editor is the client in the role of the agent's editor: it changes files, shows events and asks.
type editor struct {
	changer
	*presenter
}

var _ state.Editor = editor{}

// changer changes files.
type changer interface {
	// Apply is that of [state.Editor].
	Apply(ctx context.Context, changes []edits.Change, landed func(n int)) ([]edits.Applied, error)
}

// newEditor returns the editor of a place.
func newEditor(p *place, ws *workspace.Workspace, _ client) state.Editor {
	return editor{disk{workspace.NewDisk(ws)}, p.news}
}

// disk changes files on disk.
type disk struct{ *workspace.Disk }

// Apply implements [state.Editor].
func (d disk) Apply(ctx context.Context, changes []edits.Change, landed func(n int)) ([]edits.Applied, error) {
	return d.ApplyEach(ctx, changes, landed)
}

// Review implements [state.Editor] and changes nothing: an ACP client has no review of several changes.
func (editor) Review(_ context.Context, _ int, proposals []state.Proposal) ([]edits.Applied, error) {
	out := make([]edits.Applied, len(proposals))
	for i, p := range proposals {
		out[i] = edits.Applied{Path: p.Path, Status: edits.Refused, Reason: "this editor has no review of its own: approve the plan, or parts of it"}
	}
	return out, nil
}

// Show implements [state.Editor] and does nothing: ACP has no request for it. The event names the place.
func (editor) Show(context.Context, state.Location) error { return nil }

// CanShow implements [state.Editor].
func (editor) CanShow() bool { return false }

// Follows implements [state.Editor].
func (editor) Follows() bool { return true }

// ShowsDiffs implements [state.Editor].
func (editor) ShowsDiffs() bool { return false }

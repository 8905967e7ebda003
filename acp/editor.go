package acp

import (
	"context"
	"encoding/json"

	acp "github.com/coder/acp-go-sdk"

	"redline/acp/apply"
	"redline/agent/state"
	"redline/edits"
	"redline/workspace"
)

// editor is the client in the role of the agent's editor: it changes files, shows events and asks.
type editor struct {
	*apply.Applier
	*presenter
}

var _ state.Editor = editor{}

// newEditor returns the editor of a place.
func newEditor(p *place, ws *workspace.Workspace, c client) state.Editor {
	p.applier = apply.New(apply.Options{
		Conn: &files{p}, Workspace: ws, Client: apply.Client{Read: c.reads, Write: c.writes},
		Late: func(path string) { p.agent.Board.Reconciler.Answered(path) },
	})
	return editor{p.applier, p.news}
}

// files asks the client for texts, and for changes of them, in the session that acts.
type files struct{ place *place }

// Call implements [apply.Conn].
func (f *files) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	id := acp.SessionId(f.place.acting())
	switch r := params.(type) {
	case acp.ReadTextFileRequest:
		r.SessionId, params = id, r
	case acp.WriteTextFileRequest:
		r.SessionId, params = id, r
	}
	return f.place.server.conn.Call(ctx, method, params)
}

// acting returns the session whose prompt was the last to begin: a change of a file does not say which
// session it belongs to, and those of a folder have the same files.
func (p *place) acting() string {
	if id, ok := p.last.Load().(string); ok {
		return id
	}
	return ""
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

package acp

import (
	"context"

	"redline/acp/apply"
	"redline/agent/state"
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
		Conn: p.server.conn, Session: p.acting, Workspace: ws, Client: apply.Client{Read: c.reads, Write: c.writes}, Timeouts: p.server.o.Files,
		Late: func(path string) { p.agent.Board.Reconciler.Answered(path) },
	})
	return editor{p.applier, p.news}
}

// acting returns the session whose prompt was the last to begin: a change of a file does not say which
// session it belongs to, and those of a folder have the same files.
func (p *place) acting() string {
	if id, ok := p.last.Load().(string); ok {
		return id
	}
	return ""
}

// Show implements [state.Editor] and does nothing: ACP has no request for it. The event names the place.
func (editor) Show(context.Context, state.Location) error { return nil }

// CanShow implements [state.Editor].
func (editor) CanShow() bool { return false }

// Follows implements [state.Editor].
func (editor) Follows() bool { return true }

// ShowsDiffs implements [state.Editor].
func (editor) ShowsDiffs() bool { return false }

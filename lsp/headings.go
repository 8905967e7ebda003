package lsp

import (
	"redline/agent/conversation"
	"redline/agent/preview"
	"redline/lsp/pages"
	"redline/lsp/position"
	"redline/workspace"
)

// headingsOf returns a function that finds the headings of the chat file, a preview or a trace; call
// it off the read loop. ok is false for other documents: the answer is then null, since an
// empty list would replace what an editor finds by itself.
func headingsOf(w *workspace.Workspace, at position.Location) (headings func() []workspace.Symbol, ok bool) {
	_, _, isPreview := preview.PlanOf(at.Own)
	if at.Buffer == nil || !isPreview && at.Own != pages.ChatFile && at.Own != conversation.TracePage {
		return nil, false
	}
	return func() []workspace.Symbol { return w.Outline(at.Own, at.Buffer.Lines.Text()) }, true
}

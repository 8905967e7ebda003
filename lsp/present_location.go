package lsp

import (
	"fmt"

	"redline/agent/event"
)

// tellLocation names a place that the model points to, for a client that cannot show it.
// For other clients the agent calls [editor.Show].
func (p *presenter) tellLocation(e event.Event) {
	s := p.session
	switch {
	case s.client.window.ShowDocument:
	case e.Line > 0:
		s.window.Info(fmt.Sprintf("look at %s, line %d.", e.Path, e.Line))
	default:
		s.window.Info(fmt.Sprintf("look at %s.", e.Path))
	}
}

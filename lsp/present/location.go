package present

import (
	"fmt"

	"redline/agent/event"
)

// tellLocation names a location that the model points to, to a client that cannot show
// documents. For other clients the agent calls [Presenter.Show].
func (p *Presenter) tellLocation(e event.Event) {
	switch {
	case p.Window.Client().ShowDocument:
	case e.Line > 0:
		p.Window.Info(fmt.Sprintf("look at %s, line %d.", e.Path, e.Line))
	default:
		p.Window.Info(fmt.Sprintf("look at %s.", e.Path))
	}
}

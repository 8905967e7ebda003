package present

import (
	"redline/agent/event"
	"redline/internal/phrase"
	"redline/lsp/summary"
)

// tellNotice shows a notice of the agent, and which files of its plan are not saved yet.
func (p *Presenter) tellNotice(e event.Event) {
	o := &p.options
	if e.Error != "" {
		o.Window.Error(phrase.OneSentence(e.Error))
		return
	}
	var paths []string
	if view := o.Backend.Plan(e.PlanNumber); view != nil {
		paths = summary.Paths(view)
	}
	o.Window.Info(phrase.OneSentence(e.Text) + summary.Unsaved(o.Workspace, paths))
}

package present

import (
	"redline/agent/event"
	"redline/internal/phrase"
	"redline/lsp/summary"
)

// tellNotice shows a notice of the agent, and which files of its plan are not saved yet.
func (p *Presenter) tellNotice(e event.Event) {
	if e.Error != "" {
		p.Window.Error(phrase.OneSentence(e.Error))
		return
	}
	var paths []string
	if view := p.Backend.Plan(e.PlanNumber); view != nil {
		paths = summary.Paths(view)
	}
	p.Window.Info(phrase.OneSentence(e.Text) + summary.Unsaved(p.Workspace, paths))
}

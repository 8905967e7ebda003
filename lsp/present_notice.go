package lsp

import (
	"redline/agent/event"
	"redline/internal/phrase"
	"redline/lsp/summary"
)

// tellNotice shows a notice of the agent, and which files of its plan are not saved.
func (p *presenter) tellNotice(e event.Event) {
	s := p.session
	if e.Error != "" {
		s.window.Error(phrase.OneSentence(e.Error))
		return
	}
	var paths []string
	if view := s.backend.Plan(e.PlanNumber); view != nil {
		paths = summary.Paths(view)
	}
	s.window.Info(phrase.OneSentence(e.Text) + summary.Unsaved(s.workspace, paths))
}

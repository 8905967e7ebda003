package lsp

import (
	"redline/agent"
)

// tellNotice tells what came of an answer to a question.
func (p *presenter) tellNotice(e agent.Event) {
	s := p.session
	if e.Error != "" {
		s.window.Error(sentence(e.Error))
		return
	}
	var paths []string
	if view := s.backend.plan(e.PlanNumber); view != nil {
		paths = touched(view)
	}
	s.window.Info(sentence(e.Text) + unsaved(s.workspace, paths))
}

package lsp_test

import (
	"strconv"

	"redline/lsp/lsptest"
)

// The acts about selections, and about problems that other servers report.

func init() {
	// Another server reports a problem in a line, counted from 0.
	acts["problem"] = act{"PATH LINE MESSAGE", (*scenario).reportProblem}
	// The user selects the lines FROM to before TO and picks an action.
	acts["select"] = act{"PATH FROM TO TITLE", (*scenario).runSelected}
}

func (s *scenario) reportProblem(a []string) error {
	r, err := wholeLines(a[1], a[1])
	r.End.Character = 3
	s.editor.OtherServer(a[0], lsptest.Diagnostic{Range: r, Severity: 1, Source: "vet", Message: a[2]})
	return err
}

func (s *scenario) runSelected(a []string) error {
	r, err := wholeLines(a[1], a[2])
	if err != nil {
		return err
	}
	action, err := s.editor.ActionOn(s.ctx, a[0], r, a[3])
	if err == nil {
		_, err = s.editor.RunAction(s.ctx, action)
	}
	return err
}

func wholeLines(from, to string) (r lsptest.Range, err error) {
	if r.Start.Line, err = strconv.Atoi(from); err == nil {
		r.End.Line, err = strconv.Atoi(to)
	}
	return r, err
}

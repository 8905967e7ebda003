package lsp_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/agent/state"
	"redline/lsp/lsptest"
)

func init() {
	maps.Copy(acts, map[string]act{
		"auto-save": {"PATH", func(s *scenario, a []string) error { return s.editor.AutoSave(a[0]) }},
		"focus-out": {"PATH", func(s *scenario, a []string) error { return s.editor.FocusOut(a[0]) }},
		"marked":    {"PATH TEXT", (*scenario).wantMarked},
		"not-shown": {"SUFFIX", (*scenario).wantNotShown},
		"revision":  {"PLAN REVISION", (*scenario).wantRevision},
	})
}

// wantMarked awaits a diagnostic of a document that contains a text.
func (s *scenario) wantMarked(a []string) error {
	return s.editor.Await(s.ctx, lsptest.Expect(a[0]+" marked with "+a[1], func(e *lsptest.Editor) bool {
		return slices.ContainsFunc(e.Diagnostics(a[0]), func(d lsptest.Diagnostic) bool { return strings.Contains(d.Message, a[1]) })
	}))
}

// wantNotShown fails if the server has asked the editor to show a document.
func (s *scenario) wantNotShown(a []string) error {
	if slices.ContainsFunc(s.editor.Shown(), func(uri string) bool { return strings.HasSuffix(uri, a[0]) }) {
		return fmt.Errorf("%s was shown", a[0])
	}
	return nil
}

// wantRevision awaits the newest revision of a plan.
func (s *scenario) wantRevision(a []string) error {
	return s.awaitPlan(a[0], "plan "+a[0]+" is at revision "+a[1], func(p state.Plan) (string, bool) {
		now := fmt.Sprint(p.Revision)
		return now, now == a[1]
	})
}

package summary

import (
	"strings"
	"testing"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/lsp/pages"
)

// The message names the first file with hard links, until the file is decided, and none that is
// created or deleted.
func TestOtherNames(t *testing.T) {
	file := func(path string, action plan.Action, status plan.FileStatus, links int) *view.File {
		return &view.File{Standing: view.Standing{Change: &plan.Change{Path: path, Action: action}, Links: links}, Status: status}
	}
	pending, applied := plan.FilePending, plan.FileApplied
	for want, files := range map[string][]*view.File{
		"":                                  {file("a", plan.Update, pending, 0), file("b", plan.Delete, pending, 1), file("c", plan.Create, pending, 1), file("d", plan.Update, applied, 1)},
		" b has other names (hard links)":   {file("a", plan.Update, pending, 0), file("b", plan.Update, pending, 1)},
		" a has other names (hard links)":   {file("a", plan.Rename, plan.FileStale, 3)},
		" a and 2 more files have other na": {file("a", plan.Update, pending, 1), file("b", plan.Update, pending, 1), file("c", plan.Rename, pending, 1)},
	} {
		p := &view.Plan{Plan: &plan.Plan{Number: 1}, Revision: &plan.Revision{Number: 1}, Files: files}
		text := PlanReady(nil, p, pages.Pages{}, false)
		if !strings.Contains(text, want) || want == "" && strings.Contains(text, "other name") {
			t.Errorf("%q, want %q in it", text, want)
		}
	}
}

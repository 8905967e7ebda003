package codeaction

import (
	"fmt"
	"path"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/lsp/command"
	"redline/lsp/diagnostics"
	"redline/lsp/position"
)

// addNext offers to go to the next change of each plan that is pending here, if the
// client can show it: an editor's own keys reach only the next change in the same file.
func (m *menu) addNext(at position.Location) {
	if !m.client.Shows {
		return
	}
	for p, f := range at.Files {
		m.addNextOf(at, p, f)
	}
	if p, revision, ok := at.Preview(); ok && revision == p.Revision.Number {
		m.addNextOf(at, p, nil)
	}
}

// addNextOf offers the next undecided change of a plan after the selection in the file f: in it,
// in the files after it, or from the first one on. f is nil in the plan's preview.
func (m *menu) addNextOf(at position.Location, p *view.Plan, f *view.File) {
	if !p.Plan.State.Decidable() {
		return
	}
	var first, next *change
	passed := f == nil
	for _, file := range p.Files {
		if file.Change.Action == plan.Create || file.URI == "" {
			passed = passed || file == f
			continue // there is nothing to go to yet
		}
		for i, h := range file.Undecided {
			c := &change{file, i, h}
			switch {
			case file == f && !c.after(at):
				if first == nil && !c.on(at) {
					first = c
				}
			case next == nil && (passed || file == f):
				next = c
			case first == nil:
				first = c
			}
		}
		passed = passed || file == f
	}
	if next == nil {
		next = first
	}
	if next == nil {
		return
	}
	argument := command.ShowPlan(p)
	argument.View, argument.Path, argument.Hunk = "change", next.file.Change.Path, next.hunk.ID
	m.add(Refactor, fmt.Sprintf("next change: %s (%s)", path.Base(next.file.Path), diagnostics.ChangeName(p, next.file, next.at)), command.Show, argument)
}

// change is a hunk of a plan: the hunk at a place in its file.
type change struct {
	file *view.File
	at   int
	hunk view.Hunk
}

// after reports whether the change begins after the lines of the selection.
func (c *change) after(at position.Location) bool {
	return c.hunk.Span.Start > at.WholeLines(c.file.Live).End
}

// on reports whether the change is on the lines of the selection.
func (c *change) on(at position.Location) bool {
	for i := range at.Hunks(c.file, view.Hunk.Undecided) {
		if i == c.at {
			return true
		}
	}
	return false
}

package decide

import (
	"slices"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/internal/phrase"
)

// textsAsShown refuses a decision if its changes were computed from a text other than the
// revision's. The store checks its own texts; these are the session's.
func (x *checked) textsAsShown() error {
	is := func(c *plan.Change, base, proposed string) bool {
		return plan.BlobOf(base) == c.Base && plan.BlobOf(proposed) == c.Proposed
	}
	for _, p := range x.Parts {
		if !p.File.Outside && !is(p.File.Change, p.File.Base, p.File.Proposed) {
			return view.NotAsShown(x.held.Number())
		}
		for _, past := range p.Earlier {
			if !is(past.Change, past.Base, past.Proposed) {
				return view.NotAsShown(x.held.Number())
			}
		}
	}
	return nil
}

// busyElsewhere refuses a decision that would change a file with unsaved changes in another
// editor: its user sees another text than the disk has, and whoever saves last would win.
//
// A user can start typing in another editor after this check: see presence.Guard.
func (ds *Decisions) busyElsewhere(x *checked) error {
	elsewhere := ds.presence.Elsewhere()
	page := ds.ws.Own().Path(x.held.PreviewName()) // another process may have written it
	var paths []string
	for _, c := range x.changes {
		paths = append(paths, c.Path, c.NewPath)
	}
	for _, p := range x.Made { // as on the disk: the other editor may not have it
		paths = append(paths, p.File.Path)
	}
	if by := elsewhere(page); by != "" {
		return plan.Refuse(plan.UnsavedPreview, "The preview of plan %d has unsaved changes in another editor (%s): save or undo them there, or decide there.", x.held.Number(), by)
	}
	by := ""
	var files []string
	for _, path := range paths {
		if one := elsewhere(path); one != "" && (by == "" || by == one) && !slices.Contains(files, path) {
			by, files = one, append(files, path)
		}
	}
	switch len(files) {
	case 0:
		return nil
	case 1:
		return plan.Refuse(plan.Busy, "%s has unsaved changes in another editor (%s): save it there, or decide there.", files[0], by)
	}
	return plan.Refuse(plan.Busy, "%s have unsaved changes in another editor (%s): save them there, or decide there.", phrase.And(phrase.FirstOf(files, 5, "file")), by)
}

// unseen refuses a decision that would change a file whose buffer the editor may not show to
// Redline ([Options.SomeBuffers]): the user may have another text than the disk. Only the user
// knows, and confirms with [view.Request.Saved] that the file is saved. A file that is to be
// created has no buffer.
func (ds *Decisions) unseen(x *checked, d view.Request) error {
	if !ds.options.SomeBuffers || d.Saved {
		return nil
	}
	var paths []string
	for _, p := range x.Parts {
		path := p.File.Path
		if p.File.Change.Action == plan.Create && x.Verdict != plan.VerdictUndo || slices.Contains(paths, path) {
			continue
		}
		if _, open := ds.ws.Buffer(path); !open {
			paths = append(paths, path)
		}
	}
	switch len(paths) {
	case 0:
		return nil
	case 1:
		return plan.Refuse(plan.Busy, "Your editor does not show %s to Redline, so it may be unsaved there: save it, then choose the action that says so, or send /%s %d saved.", paths[0], again(x), x.held.Number())
	}
	return plan.Refuse(plan.Busy, "Your editor does not show %s to Redline, so they may be unsaved there: save them, then choose the action that says so, or send /%s %d saved.", phrase.And(phrase.FirstOf(paths, 5, "file")), again(x), x.held.Number())
}

// again returns the name of the slash command that makes the decision.
func again(x *checked) string {
	if x.Undoes() {
		return "undo"
	}
	return "approve"
}

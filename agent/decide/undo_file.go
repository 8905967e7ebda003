package decide

import (
	"slices"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
	"redline/edits/track"
)

// backEarlier undoes a part that an earlier revision has applied, in the file as the previous
// steps leave it. It returns the part that it could undo, and the ids of hunks and paths of
// moves that have no place any more.
func backEarlier(c view.EarlierPart, f fileState) (after fileState, left view.EarlierPart, conflicts []string) {
	hunks, none := c.Change.Hunks, view.EarlierPart{Earlier: c.Earlier}
	switch c.Change.Action {
	case plan.Create:
		if !f.exists || f.text != c.Proposed {
			return f, none, []string{hunks[0].ID}
		}
		return fileState{path: f.path, folders: f.folders}, c, nil
	case plan.Delete:
		if f.exists {
			return f, none, []string{hunks[0].ID}
		}
		return fileState{path: c.Change.Path, text: c.Base, exists: true, form: c.Deleted}, c, nil
	}
	if !f.exists {
		for _, i := range c.Hunks {
			conflicts = append(conflicts, hunks[i].ID)
		}
		if c.Move {
			conflicts = append(conflicts, c.Change.NewPath)
		}
		return f, none, conflicts
	}
	ref, pieces := plan.Reference(c.Base, c.Proposed, hunks, func(id string) bool {
		return slices.ContainsFunc(c.Hunks, func(i int) bool { return hunks[i].ID == id })
	})
	es := make([]edits.Edit, len(c.Hunks))
	for k, i := range c.Hunks {
		es[k] = edits.Edit{Span: pieces[i], New: c.Base[hunks[i].Old.Start:hunks[i].Old.End]}
	}
	out, _, stuck := track.Rebase(ref, es, f.text)
	text, err := edits.Apply(f.text, out)
	if err != nil {
		return f, none, []string{c.Change.Path}
	}
	left = none
	for k, i := range c.Hunks {
		if slices.Contains(stuck, k) {
			conflicts = append(conflicts, hunks[i].ID)
		} else {
			left.Hunks = append(left.Hunks, i)
		}
	}
	f.text = text
	if c.Move {
		f.path, left.Move = c.Change.Path, true
	}
	return f, left, conflicts
}

// fileState is a file as the steps of an undo so far leave it.
type fileState struct {
	path   string
	text   string
	exists bool
	form   plan.Form // of a file that is restored

	folders []string // folders to remove with it if they are empty
}

// after returns the file after a change.
func after(c edits.Change) fileState {
	f := fileState{path: c.Path, exists: true, folders: c.Folders}
	switch c.Kind {
	case edits.Delete:
		f.exists = false
		return f
	case edits.Create:
		f.text, f.form = c.Text, plan.Form{Mode: c.Mode, BOM: c.BOM}
		return f
	case edits.Rename:
		f.path = c.NewPath
	}
	if text, err := edits.Apply(c.Base, c.Edits); err == nil {
		f.text = text
	}
	return f
}

// changeTo returns the one change that turns was, the current file, into f. The change has no
// edits if they are equal.
func (was fileState) changeTo(f fileState) (c edits.Change) {
	switch {
	case !was.exists && !f.exists:
		return c
	case !f.exists:
		return edits.Change{Path: was.path, Kind: edits.Delete, Base: was.text, Restore: true, Folders: f.folders}
	case !was.exists:
		return bringBack(f.path, f.text, f.form)
	}
	c = edits.Change{Path: was.path, Base: was.text, Edits: edits.EditsOf(edits.Diff(was.text, f.text))}
	if f.path != was.path {
		c.Kind, c.NewPath, c.Folders = edits.Rename, f.path, f.folders
	}
	return c
}

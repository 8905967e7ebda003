package agent

import (
	"slices"

	"redline/agent/plan"
	"redline/workspace"
)

// undone knows which applied hunks of a file the user takes back in the editor, by
// typing or with its own undo. They are pending again once the editor has saved
// that. A program that puts the old file back, as a checkout does, takes
// nothing back: the editor reads the file again and does not say that it saved it.
type undone struct {
	hunks []string // have their old lines again, and the editor has not saved that yet
	saved []string // and the editor has saved it
	found bool     // since the last edit the text was found to be that of the disk
}

// edited takes in which hunks an edit of the text has taken back, and which it
// has made again.
func (u *undone) edited(back, again []string) {
	if u.found { // the disk had that text, and nobody has said that it was saved
		u.hunks, u.found = nil, false
	}
	made := func(id string) bool { return slices.Contains(again, id) }
	u.hunks = append(slices.DeleteFunc(u.hunks, made), back...)
	u.saved = slices.DeleteFunc(u.saved, made)
}

// heard takes in what the editor has said of the file.
func (u *undone) heard(kind workspace.EventKind) {
	switch kind {
	case workspace.SavedEvent, workspace.Closed: // the disk is what counts
		u.saved = append(u.saved, u.hunks...)
		u.hunks, u.found = nil, false
	case workspace.FoundSaved:
		u.found = true
	}
}

// isOpen reports whether the user has undone a hunk and not saved that: the disk still
// has it.
func (u *undone) isOpen(id string) bool { return !u.found && slices.Contains(u.hunks, id) }

// followed is follow, and notes which hunks p, a value of the plan, has applied
// and the edit has taken back.
func (f *heldFile) followed(p *plan.Plan, e workspace.BufferEvent, texts []string) {
	had := f.has // replaced, never changed
	f.follow(e, texts)
	var back, again []string
	for i, hunk := range f.change.Hunks {
		switch {
		case had[i] == f.has[i]:
		case f.has[i]:
			again = append(again, hunk.ID)
		case p.Progress.Hunk(hunk.ID).Status == plan.HunkApplied:
			back = append(back, hunk.ID)
		}
	}
	f.undone.edited(back, again)
}

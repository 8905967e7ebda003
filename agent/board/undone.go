package board

import (
	"slices"

	"redline/agent/plan"
	"redline/workspace"
)

// undone records which applied hunks of a file the user reverts in the editor, by typing or with
// its undo. They are pending again once the editor has saved that. A program that restores the
// old file, as a checkout does, reverts nothing: the editor reads the file again and sends no
// didSave.
type undone struct {
	hunks []string // ids of hunks that have their old lines again; not saved yet
	saved []string // the same, saved
	found bool     // since the last edit the text was found to be the same as on the disk
}

// edited records which hunks an edit of the text has reverted (back), and which it has applied
// again.
func (u *undone) edited(back, again []string) {
	if u.found { // the disk had that text, and the editor did not say that it saved it
		u.hunks, u.found = nil, false
	}
	made := func(id string) bool { return slices.Contains(again, id) }
	u.hunks = append(slices.DeleteFunc(u.hunks, made), back...)
	u.saved = slices.DeleteFunc(u.saved, made)
}

// heard records that the editor has saved or closed the file, or that the file was found saved.
func (u *undone) heard(kind workspace.EventKind) {
	switch kind {
	case workspace.SavedEvent, workspace.Closed: // the disk is what counts
		u.saved = append(u.saved, u.hunks...)
		u.hunks, u.found = nil, false
	case workspace.FoundSaved:
		u.found = true
	}
}

// isOpen reports whether the user has reverted a hunk and not saved that: the disk still has it.
func (u *undone) isOpen(id string) bool { return !u.found && slices.Contains(u.hunks, id) }

// follow calls follow, and records which of the hunks that are applied in p the edit has
// reverted.
func (f *heldFile) follow(p *plan.Plan, e workspace.BufferEvent, texts []string) {
	had := f.Has // replaced, never changed
	f.shift(e, texts)
	var back, again []string
	for i, hunk := range f.Change.Hunks {
		switch {
		case had[i] == f.Has[i]:
		case f.Has[i]:
			again = append(again, hunk.ID)
		case p.Progress.Hunk(hunk.ID).Status == plan.HunkApplied:
			back = append(back, hunk.ID)
		}
	}
	f.undone.edited(back, again)
}

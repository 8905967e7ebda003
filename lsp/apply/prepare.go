package apply

import (
	"fmt"

	"redline/edits"
	"redline/edits/landed"
	"redline/edits/track"
)

// prepare makes a change ready for the text of now: its edits are rebased if
// the text is not the one that they were made for, and what must not be there
// is not there. What cannot be done is settled as refused.
func (a *Applier) prepare(c edits.Change) *sending {
	s := &sending{change: c, uri: a.workspace.URI(c.Path)}
	if a.damaged(c.Path) || a.damaged(c.NewPath) {
		return s.refuse("an edit of " + c.Path + " could not be understood, so that its text is not known: close and open it again")
	}
	file, err := a.workspace.Read(c.Path)
	if err != nil {
		return s.refuse(err.Error())
	}
	s.open, s.existed, s.before, s.bom = file.Buffer, file.Exists, file.Text, file.BOM
	switch c.Kind {
	case edits.Create:
		a.prepareCreate(s)
	case edits.Update:
		s.rebase()
		if !s.settled && len(s.edits) == 0 {
			s.settle(edits.Applied{Status: edits.Done, Text: s.before, Landings: landed.WithMade(nil, s.already)})
		}
	case edits.Rename:
		a.prepareRename(s)
	case edits.Delete:
		a.prepareDelete(s)
	}
	return s
}

// prepareDelete checks that the file is as it was seen. A text that only the
// editor has, because it was never saved, is deleted by an edit: there is no
// file to delete, or one with another text, and clients may keep the buffer.
func (a *Applier) prepareDelete(s *sending) {
	switch onDisk := a.isOnDisk(s.change.Path); {
	case a.workspace.IsLink(s.change.Path):
		s.refuse(s.change.Path + " is a symbolic link now, which Redline does not delete: delete it yourself")
	case !s.existed:
		s.refuse(s.change.Path + " does not exist any more")
	case s.before != s.change.Base:
		s.refuse(s.change.Path + " was changed since it was read: ask for the change again")
	case onDisk && (!a.client.Delete || s.change.Restore && s.open == nil):
		s.onDisk = true // what the server has made it takes away, whatever the client says
	case s.before != "" && s.open != nil && (s.open.Dirty || !onDisk):
		s.edits = []edits.Edit{{Span: edits.Span{End: len(s.before)}}}
	case !onDisk:
		s.settle(edits.Applied{Status: edits.Done})
	}
}

// makeParents makes the folders above a file that the client is to put
// somewhere, which some clients do not (Neovim 0.7, Sublime).
func (a *Applier) makeParents(s *sending) {
	switch {
	case s.settled || s.onDisk:
		return
	case s.change.Kind == edits.Create && s.open != nil && s.open.Dirty:
		return // a buffer that was emptied: its folder is there
	case s.change.Kind != edits.Create && s.change.Kind != edits.Rename:
		return
	}
	unmake, err := a.disk.MakeParents(s.path())
	if err != nil {
		s.refuse(err.Error())
		return
	}
	s.unmake = unmake
}

// prepareRename checks both ends of a rename. Its edits are made first, in the
// text at the old path.
func (a *Applier) prepareRename(s *sending) {
	if s.rebase(); s.settled {
		return
	}
	exists, _, err := a.workspace.Stat(s.change.NewPath)
	_, open := a.workspace.Buffer(s.change.NewPath)
	switch {
	case err != nil:
		s.refuse(err.Error())
	case a.workspace.IsLink(s.change.Path):
		s.refuse(s.change.Path + " is a symbolic link now, which Redline does not move: move it yourself")
	case open, exists && !a.workspace.SameFile(s.change.Path, s.change.NewPath):
		s.refuse(s.change.NewPath + " now exists, and Redline never moves a file over another")
	case exists:
		// Another spelling of the same file, to a disk that takes no notice of
		// case. Some clients take their file for one in the way, so that they are
		// asked only for a file that they have open.
		s.onDisk = !a.client.Rename || s.open == nil
	default:
		s.onDisk = !a.client.Rename
	}
}

// rebase makes the change's edits fit the text of now.
func (s *sending) rebase() {
	if !s.existed {
		s.refuse(s.change.Path + " does not exist any more")
		return
	}
	s.edits, s.already = s.change.Edits, nil
	if s.before == s.change.Base {
		return
	}
	var conflicts []int
	if s.edits, s.already, conflicts = track.Rebase(s.change.Base, s.change.Edits, s.before); len(conflicts) > 0 {
		s.refuse(fmt.Sprintf("%s was changed in %d of the %d places where the edit belongs: look at the plan again",
			s.change.Path, len(conflicts), len(s.change.Edits)))
	}
}

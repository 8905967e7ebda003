package apply

import (
	"fmt"
	"strings"

	"redline/edits"
)

// prepareCreate checks that nothing is in the way of a new file. The server writes
// it, since no editor can be relied on for its bytes: some end every text with a
// line end (Neovim), some add one when they save (Helix, Emacs), some change line
// ends (VS Code, Neovim), and none gives it permissions of its own.
//
// Only a file that the editor shows before it exists is left to the editor, which
// would not save its buffer over what the server wrote. Then only a text is put
// there that every editor keeps.
func (a *Applier) prepareCreate(s *sending) {
	exists, _, err := a.workspace.Stat(s.change.Path)
	switch {
	case err != nil:
		s.refuse(err.Error())
	case !exists && s.open != nil && !s.open.Dirty && (s.before == s.change.Text || s.change.Text == "" && edits.Blank(s.before)):
		s.onDisk = true // as the client has kept the buffer of a file that it deleted
	case exists || !edits.Blank(s.before):
		s.refuse(s.change.Path + " now exists, and Redline never creates a file over another")
	case s.open == nil:
		s.onDisk = true
		s.edits = []edits.Edit{{New: s.change.Text}}
	case oddMode(s.change):
		s.refuse(fmt.Sprintf("%s is to have the permissions %o, which an editor cannot give: close it first", s.change.Path, s.change.Mode))
	case !s.change.Restore && !everyEditorKeeps(s.change): // it had what comes back
		s.refuse(s.change.Path + " is open in the editor, which might save it with other line ends than it is to have: close it first")
	default:
		s.edits = []edits.Edit{{Span: edits.Span{End: len(s.before)}, New: s.change.Text}}
	}
}

// everyEditorKeeps reports whether every editor saves the text of a new file as it
// was put there.
func everyEditorKeeps(c edits.Change) bool {
	return !c.BOM && !strings.Contains(c.Text, "\r") && (c.Text == "" || strings.HasSuffix(c.Text, "\n"))
}

// makesReviewed reports whether the client shows a new file in its own review and makes it
// then. Clients with a review add no line ends, but convert them (VS Code).
func (a *Applier) makesReviewed(s *sending) bool {
	c := s.change
	return a.makesShown(s) && !c.BOM && !strings.Contains(c.Text, "\r")
}

// makesShown reports whether a new file can be a part of an edit that the client only
// shows. What it cannot show of a file is its permissions.
func (a *Applier) makesShown(s *sending) bool {
	return s.change.Kind == edits.Create && s.open == nil && a.client.Create && !s.change.Restore && !oddMode(s.change)
}

// usualMode is what programs give new files that are not to be run.
const usualMode = 0o644

// oddMode reports whether a new file is to have permissions that a client would
// not give it.
func oddMode(c edits.Change) bool {
	return !c.Restore && c.Mode != 0 && c.Mode != usualMode
}

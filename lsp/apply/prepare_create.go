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
func (a *Applier) prepareCreate(t *attempt) {
	exists, _, err := a.workspace.Stat(t.change.Path)
	switch {
	case err != nil:
		t.refuse(err.Error())
	case !exists && t.open != nil && !t.open.Dirty && (t.before == t.change.Text || t.change.Text == "" && edits.Blank(t.before)):
		t.onDisk = true // the client has kept the buffer of a file that it deleted
	case exists || !edits.Blank(t.before):
		t.refuse(t.change.Path + " now exists, and Redline never creates a file over another")
	case t.open == nil:
		t.onDisk = true
		t.edits = []edits.Edit{{New: t.change.Text}}
	case ownMode(t.change):
		t.refuse(fmt.Sprintf("%s is to have the permissions %o, which an editor cannot give: close it first", t.change.Path, t.change.Mode))
	case !t.change.Restore && !everyEditorKeeps(t.change): // a restored file had its text in this editor
		t.refuse(t.change.Path + " is open in the editor, which might save it with other line ends than it is to have: close it first")
	default:
		t.edits = []edits.Edit{{Span: edits.Span{End: len(t.before)}, New: t.change.Text}}
	}
}

// everyEditorKeeps reports whether every editor saves the text of a new file as it
// was put there.
func everyEditorKeeps(c edits.Change) bool {
	return !c.BOM && !strings.Contains(c.Text, "\r") && (c.Text == "" || strings.HasSuffix(c.Text, "\n"))
}

// createdInReview reports whether the client shows a new file in its own review and
// creates it then. Clients with a review add no line ends, but convert them (VS Code).
func (a *Applier) createdInReview(t *attempt) bool {
	c := t.change
	return a.createdByClient(t) && !c.BOM && !strings.Contains(c.Text, "\r")
}

// createdByClient reports whether a new file can be a part of an edit that the client
// only shows. Of a file it can show everything but the permissions.
func (a *Applier) createdByClient(t *attempt) bool {
	return t.change.Kind == edits.Create && t.open == nil && a.client.Create && !t.change.Restore && !ownMode(t.change)
}

// usualMode is what programs give new files that are not to be run.
const usualMode = 0o644

// ownMode reports whether a new file is to have permissions that a client would
// not give it.
func ownMode(c edits.Change) bool {
	return !c.Restore && c.Mode != 0 && c.Mode != usualMode
}

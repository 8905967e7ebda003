package apply

import (
	"context"
	"slices"
	"strings"

	"redline/edits"
	"redline/workspace"
	"redline/workspace/judge"
)

// prepare returns an attempt at a change. If the text is not the one that the edits
// were made for, prepare rebases them. A change that cannot be made is finished as
// Refused; one that is already in the text is finished as Done.
func (a *Applier) prepare(c edits.Change) *attempt {
	t := &attempt{Attempt: judge.Attempt{Change: c}, uri: a.Workspace.URI(c.Path)}
	if a.Damaged(c.Path) || a.Damaged(c.NewPath) {
		t.Refuse("an edit of " + c.Path + " could not be read, so its text is not known: close the file and open it again")
		return t
	}
	file, err := a.Workspace.Read(c.Path)
	if err != nil {
		t.Refuse(err.Error())
		return t
	}
	t.Read(file)
	switch c.Kind {
	case edits.Create:
		a.prepareCreate(t)
	case edits.Update:
		t.Rebase()
		a.prepareCharset(t, file)
		t.FinishPrepared()
	case edits.Rename:
		a.prepareRename(t)
		a.prepareCharset(t, file)
	case edits.Delete:
		a.prepareDelete(t)
	}
	return t
}

// prepareDelete checks that the file is as it was seen. It deletes text that only the
// editor has, because it was never saved, with an edit: there is no file to delete, or
// one with another text, and clients may keep the buffer.
func (a *Applier) prepareDelete(t *attempt) {
	switch onDisk := a.files.OnDisk(t.Change.Path); {
	case a.Workspace.IsLink(t.Change.Path):
		t.Refuse(t.Change.Path + " is a symbolic link now, which Redline does not delete: delete it yourself")
	case !t.Existed:
		t.Refuse(t.Change.Path + " does not exist any more")
	case t.Before != t.Change.Base:
		t.Refuse(t.Change.Path + " was changed since it was read: ask for the change again")
	case onDisk && (!a.Client.Delete || t.Change.Restore && t.Open == nil):
		t.OnDisk = true // the server deletes what it has made, whatever the client announces
	case t.Before != "" && t.Open != nil && (t.Open.Dirty || !onDisk):
		t.Edits = []edits.Edit{{Span: edits.Span{End: len(t.Before)}}}
	case !onDisk:
		t.Finish(edits.Applied{Status: edits.Done})
	}
}

// prepareCharset has the server write a file in another charset than UTF-8 that is not open: an
// editor would read it by rules of its own. In an open one it refuses a text that the charset
// does not have, which some editors would save as question marks.
func (a *Applier) prepareCharset(t *attempt, file workspace.File) {
	switch {
	case t.Finished:
		return
	case t.Open == nil:
		t.OnDisk = t.OnDisk || a.Workspace.WritesCharset(file, t.Change)
		return
	case !edits.AddsCharacters(t.Edits):
		return
	}
	after, err := edits.Apply(t.Before, t.Edits)
	if err == nil {
		err = a.Workspace.Holds(t.Change.Path, t.Change.Path, after)
	}
	if err != nil {
		t.Refuse(err.Error())
	}
}

// prepareRename checks both paths of a rename. Its edits are made first, in the text
// at the old path.
func (a *Applier) prepareRename(t *attempt) {
	if t.Rebase(); t.Finished {
		return
	}
	ws := a.Workspace
	exists, _, err := ws.Stat(t.Change.NewPath)
	_, open := ws.Buffer(t.Change.NewPath)
	switch {
	case err != nil:
		t.Refuse(err.Error())
	case ws.IsLink(t.Change.Path):
		t.Refuse(t.Change.Path + " is a symbolic link now, which Redline does not move: move it yourself")
	case open, exists && !ws.SameFile(t.Change.Path, t.Change.NewPath):
		t.Refuse(t.Change.NewPath + " now exists, and Redline never moves a file over another")
	case exists:
		// The new path names the same file, on a disk that ignores case. Some clients
		// think that their own file is in the way, so they are asked only for a file
		// that they have open.
		t.OnDisk = !a.Client.Rename || t.Open == nil
	default:
		t.OnDisk = !a.Client.Rename
	}
}

// prepareCreate checks that nothing is in the way of a new file. The server writes the
// file, since no editor keeps its bytes reliably: some end every text with a line end
// (Neovim), some add one when they save (Helix, Emacs), some change line ends (VS Code,
// Neovim), and none sets permissions.
//
// The editor creates the file only if it shows it before it exists, since it would not
// save its buffer over what the server wrote. A text that some editor would change is
// refused then.
func (a *Applier) prepareCreate(t *attempt) {
	exists, _, err := a.Workspace.Stat(t.Change.Path)
	switch {
	case err != nil:
		t.Refuse(err.Error())
	case !exists && t.Open != nil && !t.Open.Dirty && (t.Before == t.Change.Text || t.Change.Text == "" && edits.Blank(t.Before)):
		t.OnDisk = true // the client has kept the buffer of a file that it deleted
	case exists || !edits.Blank(t.Before):
		t.Refuse(t.Change.Path + " now exists, and Redline never creates a file over another")
	case t.Open == nil:
		t.OnDisk = true
		t.Edits = []edits.Edit{{New: t.Change.Text}}
	case program(t.Change):
		t.Refuse(t.Change.Path + " is to be executable, and an editor cannot save a file so: close it first")
	case !t.Change.Restore && !everyEditorKeeps(t.Change): // a restored file had its text in this editor
		t.Refuse(t.Change.Path + " is open in the editor, which might save it with the wrong line ends: close it first")
	default:
		t.Edits = []edits.Edit{{Span: edits.Span{End: len(t.Before)}, New: t.Change.Text}}
	}
}

// everyEditorKeeps reports whether every editor saves the text of a new file unchanged.
func everyEditorKeeps(c edits.Change) bool {
	return !c.BOM && !strings.Contains(c.Text, "\r") && (c.Text == "" || strings.HasSuffix(c.Text, "\n"))
}

// createdInReview reports whether the client shows a new file in its own review and
// then creates it. Clients with a review add no line ends, but convert them (VS Code).
func (a *Applier) createdInReview(t *attempt) bool {
	c := t.Change
	return a.createdByClient(t) && !c.BOM && !strings.Contains(c.Text, "\r") && !a.Workspace.WritesCharset(workspace.File{}, c)
}

// createdByClient reports whether a new file can be part of an edit that the client
// shows. The client can show everything but a file's permissions.
func (a *Applier) createdByClient(t *attempt) bool {
	return t.Change.Kind == edits.Create && t.Open == nil && a.Client.Create && !t.Change.Restore && !program(t.Change)
}

// program reports whether a new file is to be executable, which no client can make it.
func program(c edits.Change) bool {
	return !c.Restore && edits.NewMode(c.Mode)&0o111 != 0
}

// awaitAll waits until every file of the batch shows its change.
func (a *Applier) awaitAll(ctx context.Context, batch []*attempt) bool {
	return !slices.ContainsFunc(batch, func(t *attempt) bool { return !a.files.Await(ctx, &t.Attempt) })
}

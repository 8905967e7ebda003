package apply

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"redline/edits"
	"redline/edits/landed"
	"redline/edits/track"
	"redline/internal/phrase"
	"redline/workspace"
)

// prepare returns an attempt at a change. If the text is not the one that the edits
// were made for, prepare rebases them. A change that cannot be made is finished as
// Refused; one that is already in the text is finished as Done.
func (a *Applier) prepare(c edits.Change) *attempt {
	t := &attempt{change: c, uri: a.Workspace.URI(c.Path)}
	if a.Damaged(c.Path) || a.Damaged(c.NewPath) {
		return t.refuse("an edit of " + c.Path + " could not be read, so its text is not known: close the file and open it again")
	}
	file, err := a.Workspace.Read(c.Path)
	if err != nil {
		return t.refuse(err.Error())
	}
	t.open, t.existed, t.before, t.bom = file.Buffer, file.Exists, file.Text, file.BOM
	switch c.Kind {
	case edits.Create:
		a.prepareCreate(t)
	case edits.Update:
		t.rebase()
		a.prepareCharset(t, file)
		if !t.finished && len(t.edits) == 0 {
			t.finish(edits.Applied{Status: edits.Done, Text: t.before, Landings: landed.WithMade(nil, t.already)})
		}
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
	switch onDisk := a.files.onDisk(t.change.Path); {
	case a.Workspace.IsLink(t.change.Path):
		t.refuse(t.change.Path + " is a symbolic link now, which Redline does not delete: delete it yourself")
	case !t.existed:
		t.refuse(t.change.Path + " does not exist any more")
	case t.before != t.change.Base:
		t.refuse(t.change.Path + " was changed since it was read: ask for the change again")
	case onDisk && (!a.Client.Delete || t.change.Restore && t.open == nil):
		t.onDisk = true // the server deletes what it has made, whatever the client announces
	case t.before != "" && t.open != nil && (t.open.Dirty || !onDisk):
		t.edits = []edits.Edit{{Span: edits.Span{End: len(t.before)}}}
	case !onDisk:
		t.finish(edits.Applied{Status: edits.Done})
	}
}

// prepareCharset has the server write a file in another charset than UTF-8 that is not open: an
// editor would read it by rules of its own. In an open one it refuses a text that the charset
// does not have, which some editors would save as question marks.
func (a *Applier) prepareCharset(t *attempt, file workspace.File) {
	switch {
	case t.finished:
		return
	case t.open == nil:
		t.onDisk = t.onDisk || a.Workspace.WritesCharset(file, t.change)
		return
	case !edits.AddsCharacters(t.edits):
		return
	}
	after, err := edits.Apply(t.before, t.edits)
	if err == nil {
		err = a.Workspace.Holds(t.change.Path, t.change.Path, after)
	}
	if err != nil {
		t.refuse(err.Error())
	}
}

// prepareRename checks both paths of a rename. Its edits are made first, in the text
// at the old path.
func (a *Applier) prepareRename(t *attempt) {
	if t.rebase(); t.finished {
		return
	}
	ws := a.Workspace
	exists, _, err := ws.Stat(t.change.NewPath)
	_, open := ws.Buffer(t.change.NewPath)
	switch {
	case err != nil:
		t.refuse(err.Error())
	case ws.IsLink(t.change.Path):
		t.refuse(t.change.Path + " is a symbolic link now, which Redline does not move: move it yourself")
	case open, exists && !ws.SameFile(t.change.Path, t.change.NewPath):
		t.refuse(t.change.NewPath + " now exists, and Redline never moves a file over another")
	case exists:
		// The new path names the same file, on a disk that ignores case. Some clients
		// think that their own file is in the way, so they are asked only for a file
		// that they have open.
		t.onDisk = !a.Client.Rename || t.open == nil
	default:
		t.onDisk = !a.Client.Rename
	}
}

// rebase fits the change's edits to the current text.
func (t *attempt) rebase() {
	if !t.existed {
		t.refuse(t.change.Path + " does not exist any more")
		return
	}
	t.edits, t.already = t.change.Edits, nil
	if t.before == t.change.Base {
		return
	}
	var conflicts []int
	if t.edits, t.already, conflicts = track.Rebase(t.change.Base, t.change.Edits, t.before); len(conflicts) > 0 {
		t.refuse(fmt.Sprintf("%s was changed in %d of the %d places where the edit belongs: look at the plan again",
			t.change.Path, len(conflicts), len(t.change.Edits)))
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
	exists, _, err := a.Workspace.Stat(t.change.Path)
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
	case program(t.change):
		t.refuse(t.change.Path + " is to be executable, and an editor cannot save a file so: close it first")
	case !t.change.Restore && !everyEditorKeeps(t.change): // a restored file had its text in this editor
		t.refuse(t.change.Path + " is open in the editor, which might save it with the wrong line ends: close it first")
	default:
		t.edits = []edits.Edit{{Span: edits.Span{End: len(t.before)}, New: t.change.Text}}
	}
}

// everyEditorKeeps reports whether every editor saves the text of a new file unchanged.
func everyEditorKeeps(c edits.Change) bool {
	return !c.BOM && !strings.Contains(c.Text, "\r") && (c.Text == "" || strings.HasSuffix(c.Text, "\n"))
}

// createdInReview reports whether the client shows a new file in its own review and
// then creates it. Clients with a review add no line ends, but convert them (VS Code).
func (a *Applier) createdInReview(t *attempt) bool {
	c := t.change
	return a.createdByClient(t) && !c.BOM && !strings.Contains(c.Text, "\r") && !a.Workspace.WritesCharset(workspace.File{}, c)
}

// createdByClient reports whether a new file can be part of an edit that the client
// shows. The client can show everything but a file's permissions.
func (a *Applier) createdByClient(t *attempt) bool {
	return t.change.Kind == edits.Create && t.open == nil && a.Client.Create && !t.change.Restore && !program(t.change)
}

// program reports whether a new file is to be executable, which no client can make it.
func program(c edits.Change) bool {
	return !c.Restore && edits.NewMode(c.Mode)&0o111 != 0
}

// files reads the current state of the editor and the disk.
type files struct{ workspace *workspace.Workspace }

// onDisk reports whether the file exists on disk, whatever the editor has open. It
// returns false if the disk cannot tell.
func (f files) onDisk(path string) bool {
	exists, _, err := f.workspace.Stat(path)
	return err == nil && exists
}

// named reports whether a file on disk is called path, even if other, the other name
// of its move, differs from path only in upper and lower case.
func (f files) named(path, other string) bool {
	if f.workspace.SameFile(path, other) {
		return f.workspace.HasName(path)
	}
	return f.onDisk(path)
}

// text returns the current text of a file, "" if it has none.
func (f files) text(path string) string {
	file, err := f.workspace.Read(path)
	if err != nil {
		return ""
	}
	return file.Text
}

// changed reads the file in which the change can be seen. A deleted file counts as gone
// when it is not on disk and no buffer holds text that was never saved; a file counts
// as moved when its old name is not on disk.
func (f files) changed(t *attempt) workspace.File {
	file, err := f.workspace.Read(t.path())
	if err != nil {
		file = workspace.File{Path: t.path()}
	}
	switch t.change.Kind {
	case edits.Delete:
		if exists, _, err := f.workspace.Stat(t.path()); err == nil {
			file.Exists = exists || len(t.edits) > 0 && !edits.Blank(file.Text)
		}
	case edits.Rename:
		if f.named(t.change.Path, t.change.NewPath) {
			file.Exists = false
		}
	}
	return file
}

// skipped reports whether file is newer than the text that the change was sent for and
// has none of the change: Neovim skips such a change and claims to have made it.
func skipped(t *attempt, file workspace.File) bool {
	return t.change.Kind == edits.Update && t.open != nil && file.Buffer != nil &&
		file.Text != t.before && t.landing(file) == edits.Absent && !t.arrived()
}

// await waits until the file shows the whole change, shows it in the wrong lines, or
// got a text without it after the client's answer: a client reports what it does in
// order. It reports whether the whole change is there.
func (f files) await(ctx context.Context, t *attempt) bool {
	if t.change.Kind == edits.Update || t.change.Kind == edits.Create {
		landed := false
		f.workspace.AwaitText(ctx, t.path(), func(file workspace.File) bool {
			landed = t.landing(file) == edits.Landed
			return landed || t.misplaced() != nil ||
				t.answered != nil && file.Buffer != t.answered && skipped(t, file) && t.explained(file.Text)
		})
		return landed
	}
	// File operations show on the disk: a client may keep a buffer open.
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for t.landing(f.changed(t)) != edits.Landed {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}

// awaitAll waits until every file of the batch shows its change.
func (f files) awaitAll(ctx context.Context, batch []*attempt) bool {
	return !slices.ContainsFunc(batch, func(t *attempt) bool { return !f.await(ctx, t) })
}

// partial describes in one sentence the part of a change that is there, if not all
// of it is; "" if nothing is.
func (f files) partial(t *attempt) string {
	from, to := t.change.Path, t.path()
	switch t.change.Kind {
	case edits.Create:
		if f.onDisk(to) {
			return to + " is there now, but without its text: look at it, and delete it if you do not need it."
		}
		return ""
	case edits.Rename:
		switch old, moved := f.named(from, to), f.named(to, from); {
		case old && moved:
			return fmt.Sprintf("Both %s and %s are there now: look at them, and delete the one that you do not need.", from, to)
		case moved:
			return fmt.Sprintf("%s was moved to %s, but the edits are not all in it: look at it.", from, to)
		}
	}
	made := len(t.made(f.text(from)))
	switch {
	case made == 0:
		return ""
	case t.change.Kind == edits.Rename:
		return fmt.Sprintf("The edits were made in %s, but it was not moved to %s: undo them there, or move the file yourself.", from, to)
	case t.change.Kind == edits.Delete:
		return from + " was emptied, but not deleted: undo that in the editor, or delete the file yourself."
	}
	return fmt.Sprintf("%d of %s are in %s: look at it.", made, phrase.Count(len(t.edits), "edit"), from)
}

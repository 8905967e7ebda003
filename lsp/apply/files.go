package apply

import (
	"context"
	"fmt"
	"time"

	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace"
)

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
	for _, t := range batch {
		if !f.await(ctx, t) {
			return false
		}
	}
	return true
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

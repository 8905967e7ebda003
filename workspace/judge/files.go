package judge

import (
	"context"
	"fmt"
	"time"

	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace"
)

// Files reads the current state of the editor and the disk.
type Files struct{ Workspace *workspace.Workspace }

// OnDisk reports whether the file exists on disk, whatever the editor has open. It
// returns false if the disk cannot tell.
func (f Files) OnDisk(path string) bool {
	exists, _, err := f.Workspace.Stat(path)
	return err == nil && exists
}

// Named reports whether a file on disk is called path, even if other, the other name
// of its move, differs from path only in upper and lower case.
func (f Files) Named(path, other string) bool {
	if f.Workspace.SameFile(path, other) {
		return f.Workspace.HasName(path)
	}
	return f.OnDisk(path)
}

// Text returns the current text of a file, "" if it has none.
func (f Files) Text(path string) string {
	file, err := f.Workspace.Read(path)
	if err != nil {
		return ""
	}
	return file.Text
}

// Changed reads the file in which the change can be seen. A deleted file counts as gone
// when it is not on disk and no buffer holds text that was never saved; a file counts
// as moved when its old name is not on disk.
func (f Files) Changed(t *Attempt) workspace.File {
	file, err := f.Workspace.Read(t.Path())
	if err != nil {
		file = workspace.File{Path: t.Path()}
	}
	switch t.Change.Kind {
	case edits.Delete:
		if exists, _, err := f.Workspace.Stat(t.Path()); err == nil {
			file.Exists = exists || len(t.Edits) > 0 && !edits.Blank(file.Text)
		}
	case edits.Rename:
		if f.Named(t.Change.Path, t.Change.NewPath) {
			file.Exists = false
		}
	}
	return file
}

// Await waits until the file shows the whole change, shows it in the wrong lines, or
// got a text without it after the client's answer: a client reports what it does in
// order. It reports whether the whole change is there.
func (f Files) Await(ctx context.Context, t *Attempt) bool {
	if t.Change.Kind == edits.Update || t.Change.Kind == edits.Create {
		landed := false
		f.Workspace.AwaitText(ctx, t.Path(), func(file workspace.File) bool {
			landed = t.Landing(file) == edits.Landed
			return landed || t.Misplaced() != nil ||
				t.Answered != nil && file.Buffer != t.Answered && t.Skipped(file) && t.Explained(file.Text)
		})
		return landed
	}
	// File operations show on the disk: a client may keep a buffer open.
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for t.Landing(f.Changed(t)) != edits.Landed {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}

// Partial describes in one sentence the part of a change that is there, if not all
// of it is; "" if nothing is.
func (f Files) Partial(t *Attempt) string {
	from, to := t.Change.Path, t.Path()
	switch t.Change.Kind {
	case edits.Create:
		if f.OnDisk(to) {
			return to + " is there now, but without its text: look at it, and delete it if you do not need it."
		}
		return ""
	case edits.Rename:
		switch old, moved := f.Named(from, to), f.Named(to, from); {
		case old && moved:
			return fmt.Sprintf("Both %s and %s are there now: look at them, and delete the one that you do not need.", from, to)
		case moved:
			return fmt.Sprintf("%s was moved to %s, but the edits are not all in it: look at it.", from, to)
		}
	}
	made := len(t.Made(f.Text(from)))
	switch {
	case made == 0:
		return ""
	case t.Change.Kind == edits.Rename:
		return fmt.Sprintf("The edits were made in %s, but it was not moved to %s: undo them there, or move the file yourself.", from, to)
	case t.Change.Kind == edits.Delete:
		return from + " was emptied, but not deleted: undo that in the editor, or delete the file yourself."
	}
	return fmt.Sprintf("%d of %s are in %s: look at it.", made, phrase.Count(len(t.Edits), "edit"), from)
}

package apply

import (
	"context"
	"fmt"

	"redline/edits"
	"redline/internal/phrase"
)

// settleFailed settles a change that did not come about as a whole. Many
// clients make the steps of a change one by one and stop at the first that
// fails: what is half there then is taken back where that is safe, and is told
// where it is not.
func (a *Applier) settleFailed(ctx context.Context, s *sending, reason string) {
	half := a.half(s)
	if half != "" {
		a.takeBack(ctx, s)
		half = a.half(s)
	}
	if half == "" {
		if s.change.Kind == edits.Rename && a.workspace.SameFile(s.change.Path, s.change.NewPath) {
			// Some clients take a file for one in its own way.
			reason += " Close " + s.change.Path + " and approve again: then Redline renames it on the disk."
		}
		s.settle(edits.Applied{Status: edits.Refused, Reason: reason})
		return
	}
	file := a.see(s)
	s.settle(edits.Applied{Status: edits.Half, Reason: reason + " " + half, Text: file.Text})
}

// half says in one sentence what is there of a change that is not there as a
// whole; "" if nothing is.
func (a *Applier) half(s *sending) string {
	from, to := s.change.Path, s.path()
	switch s.change.Kind {
	case edits.Create:
		if a.isOnDisk(to) {
			return to + " is there now, but without the text that it was to have: look at it, and delete it if it is of no use."
		}
		return ""
	case edits.Rename:
		switch old, moved := a.isThere(from, to), a.isThere(to, from); {
		case old && moved:
			return fmt.Sprintf("Both %s and %s are there now: look at them, and delete the one that is of no use.", from, to)
		case moved:
			return fmt.Sprintf("%s was moved to %s, but the edits are not all in it: look at it.", from, to)
		}
	}
	made := len(s.made(a.textAt(from)))
	switch {
	case made == 0:
		return ""
	case s.change.Kind == edits.Rename:
		return fmt.Sprintf("The edits were made in %s, but it was not moved to %s: undo them there, or move the file yourself.", from, to)
	case s.change.Kind == edits.Delete:
		return from + " was emptied, but not deleted: undo that in the editor, or delete the file yourself."
	}
	return fmt.Sprintf("%d of %s are in %s: look at it.", made, phrase.Count(len(s.edits), "edit"), from)
}

// made returns those of the change's edits that are in a text.
func (s *sending) made(text string) []edits.Edit {
	if text == s.before {
		return nil
	}
	var made []edits.Edit
	for i, l := range s.landings(text) {
		if e := s.edits[i]; l == edits.Landed && s.before[e.Start:e.End] != e.New {
			made = append(made, e)
		}
	}
	return made
}

// takeBack takes back what is half there, if that is clearly safe: edits in a text
// that nobody has typed into since. What stays all the same is for [Applier.half] to tell.
func (a *Applier) takeBack(ctx context.Context, s *sending) {
	if s.change.Kind == edits.Create {
		return // the client was not asked to create the file, so it is not ours
	}
	if s.path() != s.change.Path && a.isThere(s.path(), s.change.Path) {
		return
	}
	if now := a.textAt(s.change.Path); s.inPart(now) {
		a.takeOut(ctx, s, edits.Change{Path: s.change.Path, Base: now, Edits: edits.Invert(s.before, s.made(now))})
	}
}

// inPart tells whether a text is the one before with some of the change's edits
// made, and nothing else: it was not typed into, the client has just left the
// others out.
func (s *sending) inPart(text string) bool {
	made := s.made(text)
	is, err := edits.Apply(s.before, made)
	return err == nil && is == text && len(made) > 0
}

// isOnDisk tells whether there is such a file on disk, whatever the editor has
// open. What cannot be looked at is not there.
func (a *Applier) isOnDisk(path string) bool {
	exists, _, err := a.workspace.Stat(path)
	return err == nil && exists
}

// isThere tells whether there is a file on disk called path, also when that
// differs from the other name of its move in upper and lower case only.
func (a *Applier) isThere(path, other string) bool {
	if a.workspace.SameFile(path, other) {
		return a.workspace.HasName(path)
	}
	return a.isOnDisk(path)
}

// textAt is the text of a file as it is now, "" if it has none.
func (a *Applier) textAt(path string) string {
	file, err := a.workspace.Read(path)
	if err != nil {
		return ""
	}
	return file.Text
}

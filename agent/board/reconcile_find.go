package board

import (
	"slices"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/landed"
)

// reconciledFile is a change of a revision with its texts.
type reconciledFile struct {
	Change         *plan.Change
	Base, Proposed string
}

// sentPart names what to look for in a file.
type sentPart struct {
	Hunks []int // indices in Change.Hunks
	Move  bool  // the part includes the move; then look for the hunks in the file's current place
	Moved bool  // without Move: the file is under its new name
}

// foundName describes what exists under one name of a file.
type foundName struct {
	Exists  bool // it is on the disk, or open with a text
	Text    string
	ReadErr error // why Exists and Text are not known
	OnDisk  bool
	StatErr error // why OnDisk is not known
}

// foundNames describes what exists under the old and the new name of a file. Only a move has a new
// name.
type foundNames struct {
	Old, New foundName

	// Same is set if both names lead to one file, as on a disk that ignores case. Then SpelledOld
	// and SpelledNew say which of the names the folder has.
	Same, SpelledOld, SpelledNew bool
}

// foundText is how much of a part a text has.
type foundText struct {
	Hunks []edits.Landing // as in Part.Hunks
	Move  edits.Landing   // of Part.Move
	Both  bool            // of Part.Move: there is a file under each of the names
}

// Find looks for a part of a file in its text. done reports which of the file's other hunks are
// applied. What cannot be read is [edits.Unclear].
func (f reconciledFile) Find(part sentPart, done func(id string) bool, n foundNames) foundText {
	if f.whole() {
		return foundText{Hunks: slices.Repeat([]edits.Landing{f.findWhole(n.Old)}, len(part.Hunks))}
	}
	found := foundText{Hunks: make([]edits.Landing, len(part.Hunks))}
	moved := part.Moved
	if part.Move {
		if found.Move = n.Moved(); found.Move == edits.Unclear {
			found.Both = n.Old.StatErr == nil && n.New.StatErr == nil && n.Old.OnDisk && n.New.OnDisk && !n.Same
			return found
		}
		moved = found.Move == edits.Landed
	}
	at := n.Old
	if moved {
		at = n.New
	}
	if at.ReadErr == nil && at.Exists {
		found.Hunks = f.findHunks(part.Hunks, done, at.Text)
	}
	return found
}

// whole reports whether the change concerns the whole file: a creation or a deletion.
func (f reconciledFile) whole() bool {
	return f.Change.Action == plan.Create || f.Change.Action == plan.Delete
}

// findWhole determines whether a file was created or deleted.
func (f reconciledFile) findWhole(n foundName) edits.Landing {
	create := f.Change.Action == plan.Create
	switch {
	case n.ReadErr != nil || n.StatErr != nil:
		return edits.Unclear
	case create && !n.OnDisk && edits.Blank(n.Text):
		return edits.Absent
	case create && n.Text == f.Proposed:
		return edits.Landed
	case !create && !n.OnDisk: // some editors keep the buffer
		return edits.Landed
	case !create && n.Text == f.Base:
		return edits.Absent
	}
	return edits.Unclear
}

// Moved determines whether a file was moved: then it is only under its new name.
func (n foundNames) Moved() edits.Landing {
	old, moved := n.Old.OnDisk, n.New.Exists
	if n.Same { // the file exists under both names
		old, moved = n.SpelledOld, n.SpelledNew
	}
	switch {
	case n.Old.StatErr != nil || n.New.ReadErr != nil:
		return edits.Unclear
	case moved && !old:
		return edits.Landed
	case old && !moved:
		return edits.Absent
	}
	return edits.Unclear
}

// findHunks determines for each hunk whether a text has it. It looks for the difference between
// the texts without and with the hunks: a hunk that only adds has no old lines, and a hunk that
// only removes has no new ones, so those could be found in any text.
func (f reconciledFile) findHunks(hunks []int, done func(id string) bool, text string) []edits.Landing {
	all := f.Change.Hunks
	asked := make(map[string]bool, len(hunks))
	for _, i := range hunks {
		asked[all[i].ID] = true
	}
	without, places := plan.Reference(f.Base, f.Proposed, all, func(id string) bool { return !asked[id] && done(id) })
	es := make([]edits.Edit, len(hunks))
	for k, i := range hunks {
		es[k] = edits.Edit{Span: places[i], New: f.Proposed[all[i].New.Start:all[i].New.End]}
	}
	return landed.Of(without, es, text)
}

// textOf returns how much the text has of one hunk or move.
func textOf(l edits.Landing) textState {
	switch l {
	case edits.Landed:
		return textNew
	case edits.Absent:
		return textOld
	}
	return textNeither
}

// turned converts the landing of an edit to the landing of its undo.
func turned(l edits.Landing) edits.Landing {
	switch l {
	case edits.Landed:
		return edits.Absent
	case edits.Absent:
		return edits.Landed
	}
	return l
}

package board

import (
	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
	"redline/edits/track"
	"redline/workspace"
)

// heldFile is one file of a plan. Its texts never change; the rest is the table's, as the entry
// that has it.
type heldFile struct {
	change   *plan.Change
	base     string
	proposed string
	outside  bool // the current revision does not touch it: it is only here for an undo

	// What follows is the file as it is now, see place.go.
	live       *edits.Lines
	exists     bool   // it is there, or cannot be read
	unreadable string // what is there instead of a text, "" if nothing is
	inTheWay   string // a creation or move: why the file cannot be put there, "" if it can
	placed     track.Placement
	stamp      workspace.Stamp // of the file on disk before glance read it
	placedFor  *plan.Plan      // the value of the plan that placed began with
	has        []bool          // for each hunk whether placed follows its new lines, not its old ones; replaced, never changed
	undone     undone          // what the user takes back in the editor
	moved      bool            // a rename that is pending: the user has moved the file
	view       *view.File      // nil when out of date
	disk       onDisk

	marks    []plan.HunkMark // of the hunks, in the plan value marksFor
	marksFor *plan.Plan
}

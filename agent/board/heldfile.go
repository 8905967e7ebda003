package board

import (
	"redline/agent/plan"
	"redline/agent/view"
	"redline/workspace"
)

// heldFile is one file of a plan: a change, and the file as it is now, see place.go. The change
// and its texts stay the same; the rest is the table's, as the entry that has the file.
type heldFile struct {
	view.Standing
	inTheWay  string          // a creation or move: why the file cannot be put there, "" if it can
	stamp     workspace.Stamp // of the file on disk before glance read it
	placedFor *plan.Plan      // the value of the plan that Placement began with
	undone    undone          // what the user takes back in the editor
	view      *view.File      // nil when out of date
	disk      onDisk

	marks    []plan.HunkMark // of the hunks, in the plan value marksFor
	marksFor *plan.Plan
}

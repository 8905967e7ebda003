package board

import (
	"sync/atomic"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/workspace"
)

// Held is a plan that the session holds. Anyone may read its value, which is immutable; only a
// [Tx] replaces it.
type Held struct {
	number int // the plan's number
	value  atomic.Pointer[planValue]
	entry  *entry // guarded by the table: use table.of

	before   plan.State // while drafting: the state to restore
	unstored bool       // a turn's revision could not be stored yet; until then the plan is drafting
}

// planValue is a plan as it is stored, and its current revision. Both are replaced, never
// changed.
type planValue struct {
	plan     *plan.Plan
	revision *plan.Revision
}

// entry is the table's record of one plan: the texts of its current revision, where its hunks
// are in the current files, and what is due to be shown. Use it only with the table locked.
type entry struct {
	*Held
	files    []*heldFile     // in the order of revision.Changes; replaced, never changed
	past     []*view.Earlier // changes that only earlier revisions have applied, newest first; replaced, never changed
	pastLeft bool            // some of past must still be compared with its text
	preview  Preview
	view     *view.Plan  // for the snapshot; nil if out of date
	fixed    *fixedState // of the revision; made on demand

	due       []plan.Effect  // what the next Announce writes and shows
	again     bool           // show it again even if it was shown before
	staging   bool           // a turn may still add operations to it
	later     []plan.Effect  // due when that turn has ended
	looked    bool           // it was compared as at the start of a session, see leftBehind
	execution *Execution     // while an approval or an undo is carried out
	outcome   *state.Outcome // the result of a decision, for the next event about the plan
}

// heldFile is one file of a plan: a change, and the current file; see place.go. The change and
// its texts never change; the table guards the rest, as it does the entry that has the file.
type heldFile struct {
	view.Standing
	inTheWay  string          // for a creation or move: why the file cannot be put there, "" if it can
	stamp     workspace.Stamp // the stamp of the file on disk before glance read it
	placedFor *plan.Plan      // the value of the plan that Placement began with
	undone    undone          // what the user has undone in the editor
	view      *view.File      // nil if out of date
	disk      onDisk

	marks    []plan.HunkMark // marks of the hunks, in the plan value marksFor
	marksFor *plan.Plan
}

// NewHeld returns a plan that no board holds, for tests.
func NewHeld(p *plan.Plan, r *plan.Revision) *Held {
	h := &Held{number: p.Number}
	h.entry = &entry{Held: h}
	h.entry.set(p, r)
	return h
}

// Number returns the number of the plan.
func (h *Held) Number() int { return h.number }

func (h *Held) Plan() *plan.Plan { return h.value.Load().plan }

func (h *Held) Revision() *plan.Revision { return h.value.Load().revision }

// Now returns the plan and its current revision, consistent with each other.
func (h *Held) Now() (*plan.Plan, *plan.Revision) {
	v := h.value.Load()
	return v.plan, v.revision
}

// set replaces the value of the plan. Only a Tx does so.
func (h *entry) set(p *plan.Plan, r *plan.Revision) { h.value.Store(&planValue{p, r}) }

// file returns the plan's file with the given path, old or new.
func (h *entry) file(path string) *heldFile {
	for _, f := range h.files {
		if f.Change.Path == path || (f.Change.NewPath != "" && f.Change.NewPath == path) {
			return f
		}
	}
	return nil
}

// mark returns the plan's record of a file as a whole.
func (h *Held) mark(f *heldFile) plan.FileMark {
	return h.Plan().Progress.File(h.Revision().Number, f.Change.Path)
}

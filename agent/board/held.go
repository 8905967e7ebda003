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
	number int // of the plan
	value  atomic.Pointer[planValue]
	entry  *entry // the table's: use table.of

	before   plan.State // while drafting: the state to go back to
	unstored bool       // a turn's revision could not be stored yet; until then the plan is drafting
}

// planValue is a plan as it is stored, and its current revision. Both are replaced, never
// changed.
type planValue struct {
	plan     *plan.Plan
	revision *plan.Revision
}

// entry is what the table has about one plan: the texts of its current revision, where its hunks
// are in the files as they are now, and what is due to be shown. Use it only while you have the
// table.
type entry struct {
	*Held
	files    []*heldFile     // as in revision.Changes; replaced, never changed
	past     []*view.Earlier // what only earlier revisions have applied, newest first; replaced, never changed
	pastLeft bool            // some of past is still to be compared with its text
	preview  Preview
	view     *view.Plan  // for the snapshot; nil when out of date
	fixed    *fixedState // of the revision; made on demand

	due       []plan.Effect  // what the next announce writes and shows
	again     bool           // it also shows what was already shown
	staging   bool           // a turn may still add operations to it
	later     []plan.Effect  // due when that turn has ended
	looked    bool           // it was compared as at the start of a session, see leftBehind
	execution *Execution     // while an approval or an undo is carried out
	outcome   *state.Outcome // the result of a decision, for the next event about the plan
}

// heldFile is one file of a plan: a change, and the file as it is now; see place.go. The change
// and its texts stay the same; the rest belongs to the table, like the entry that has the file.
type heldFile struct {
	view.Standing
	inTheWay  string          // a creation or move: why the file cannot be put there, "" if it can
	stamp     workspace.Stamp // of the file on disk before glance read it
	placedFor *plan.Plan      // the value of the plan that Placement began with
	undone    undone          // what the user has undone in the editor
	view      *view.File      // nil when out of date
	disk      onDisk

	marks    []plan.HunkMark // of the hunks, in the plan value marksFor
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

package view

import (
	"cmp"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/track"
)

// File is what a plan does to one file, placed in the current text.
type File struct {
	Standing
	Path   string // the current path: a renamed file is at its new path
	URI    string
	Status plan.FileStatus // stale if one of its hunks is
	Reason string

	Plan   *plan.Plan      // the plan value that the view shows
	Marks  []plan.HunkMark // the stored marks of the hunks
	Clash  string          // why the file as a whole cannot be decided on, "" if it can
	ByUser bool            // the user has created or deleted the file by hand
}

// Standing is a change, and where its hunks are in the current file.
type Standing struct {
	Change   *plan.Change
	Base     string // the text that the change was made from
	Proposed string // the text that the change leads to
	Syntax   string // why Proposed does not parse, see draft.Check; "" for a plan that was closed when it was read
	Links    int    // other names of the current file on disk
	Outside  bool   // the current revision does not touch the file, which is here only for an undo

	Live       *edits.Lines    // the text that the spans are in; empty if there is no file
	Exists     bool            // the file exists, or cannot be read
	Unreadable string          // why there is no text, "" if there is one
	Placement  track.Placement // places of the hunks in the text
	Has        []bool          // for each hunk whether Placement follows its new lines, not its old ones; replaced, never changed
	Moved      bool            // a rename that is pending: the user has moved the file by hand
}

// ByHand is the reason for a hunk that counts as applied without a decision: the user has typed
// it, or has redone in the editor what was undone.
const ByHand = "the text has this change already"

// NewFile makes the view of a file of the revision r, and computes the file's status.
func NewFile(v File, r *plan.Revision) *File {
	v.Status, v.Reason = v.Plan.File(r, v.Change)
	if v.Status == plan.FilePending {
		v.Status, v.Reason = v.statusNow(v.Reason)
	}
	return &v
}

// statusNow returns the status of a file that is stored as pending for the given reason: stale
// if a part of it is stale, applied if the user has made all of it by hand.
func (f *File) statusNow(reason string) (plan.FileStatus, string) {
	waits := f.Change.Action == plan.Rename && !f.Moved && f.Plan.Progress.File(f.Plan.Current, f.Change.Path).Move == plan.FilePending
	for i := range f.Marks {
		switch status, why := f.StatusOf(i); status {
		case plan.HunkStale:
			return plan.FileStale, why
		case plan.HunkApplied, plan.HunkRejected:
		default:
			waits = true
		}
	}
	switch {
	case f.Len() == 0 && f.Clash != "":
		return plan.FileStale, f.Clash
	case waits:
		return plan.FilePending, reason
	}
	return plan.FileApplied, ByHand
}

// Unparsed returns why the file does not parse as the plan proposes it, in one line. It returns
// "" if it parses, if it did not parse before, or if that is not known. It also returns "" once
// a part of the change is decided, since the rest may lead to another text.
func (f *File) Unparsed() string {
	if f.Syntax == "" || f.Status != plan.FilePending && f.Status != plan.FileStale {
		return ""
	}
	for i := range f.Len() {
		if status, _ := f.StatusOf(i); status != plan.HunkPending && status != plan.HunkStale {
			return ""
		}
	}
	return f.Syntax
}

// OtherNames returns how many other names (hard links) the file has which keep its text when
// Redline changes it. It returns 0 once the file is decided, and for a file that is only created or
// deleted.
func (f *File) OtherNames() int {
	if f.Status != plan.FilePending && f.Status != plan.FileStale || f.Change.Action == plan.Create || f.Change.Action == plan.Delete {
		return 0
	}
	return f.Links
}

// ProposedPath returns the path that the file has in the plan.
func (f *File) ProposedPath() string { return cmp.Or(f.Change.NewPath, f.Change.Path) }

// Holds reports whether the file exists with exactly the given text.
func (f *Standing) Holds(text string) bool {
	return f.Exists && f.Unreadable == "" && f.Live.Text() == text
}

// PathIn returns the path of the file once its plan has the value p.
func (f *Standing) PathIn(p *plan.Plan) string {
	if f.Change.Action == plan.Rename && (f.Moved || p.Progress.File(p.Current, f.Change.Path).Move == plan.FileApplied) {
		return f.Change.NewPath
	}
	return f.Change.Path
}

// Hunk is one hunk in the live text.
type Hunk struct {
	plan.Hunk
	Status           plan.HunkStatus // stale if its own lines were changed
	Reason           string
	Span             edits.Span // whole lines of the live text
	OldText, NewText string
}

// Undecided reports whether the user still has to decide on the hunk: it is pending or stale.
func (h Hunk) Undecided() bool { return h.Status == plan.HunkPending || h.Status == plan.HunkStale }

// Len returns the number of hunks of the file.
func (f *File) Len() int { return len(f.Change.Hunks) }

// Hunk returns the hunk with the given index.
func (f *File) Hunk(i int) Hunk {
	h := f.Change.Hunks[i]
	span, whole := f.Placement.At(i)
	v := Hunk{
		Hunk: h, Span: span,
		OldText: f.Base[h.Old.Start:h.Old.End], NewText: f.Proposed[h.New.Start:h.New.End],
	}
	v.Status, v.Reason = f.statusAt(i, span, whole)
	return v
}

// Undecided yields each undecided hunk, with its index.
func (f *File) Undecided(yield func(int, Hunk) bool) {
	for i := range f.Len() {
		if h := f.Hunk(i); h.Undecided() && !yield(i, h) {
			return
		}
	}
}

// StatusOf returns the status of the hunk with the given index in the live text, and the reason.
func (f *File) StatusOf(i int) (plan.HunkStatus, string) {
	span, whole := f.Placement.At(i)
	return f.statusAt(i, span, whole)
}

// statusAt does what StatusOf does, for a hunk placed at span; whole is false if its lines were
// changed.
func (f *File) statusAt(i int, span edits.Span, whole bool) (plan.HunkStatus, string) {
	m := &f.Marks[i]
	switch {
	case m.Status != plan.HunkPending:
		return m.Status, m.Why()
	case f.Clash != "":
		return plan.HunkStale, f.Clash
	case f.ByUser:
		return plan.HunkApplied, ByHand
	case !whole:
		return plan.HunkStale, "its lines were changed since it was proposed"
	case f.Has[i]:
		return plan.HunkApplied, ByHand
	case !track.KeepsLines(f.Live.Text(), edits.Edit{Span: span, New: f.newText(i)}):
		return plan.HunkStale, "the line end next to it was changed since it was proposed"
	}
	return plan.HunkPending, m.Why()
}

// newText returns the new lines of a hunk.
func (f *File) newText(i int) string {
	s := f.Change.Hunks[i].New
	return f.Proposed[s.Start:s.End]
}

// ProposedNow returns the file's current text with all hunks that wait for the user or are being
// carried out: the text after approving all of them. It leaves out stale hunks, which fit nowhere
// now, and returns their ids in stale. If no hunk waits, it returns the live text.
func (f *File) ProposedNow() (text string, stale []string) {
	var es []edits.Edit
	for i, hunk := range f.Change.Hunks {
		span, placed := f.Placement.At(i)
		switch status, _ := f.StatusOf(i); {
		case status == plan.HunkStale:
			stale = append(stale, hunk.ID)
		case status == plan.HunkPending, status == plan.HunkApproved && placed && !f.Has[i]:
			es = append(es, edits.Edit{Span: span, New: f.newText(i)})
		}
	}
	text, err := edits.Apply(f.Live.Text(), es)
	if err != nil { // a text with only some of them is one that nobody has proposed
		return f.Live.Text(), stale
	}
	return text, stale
}

// Applied reports whether a unit of the file (a hunk, or a file without hunks) is applied, or was
// made by hand.
func (f *File) Applied(unit int) bool {
	if f.Len() == 0 {
		return f.Status == plan.FileApplied
	}
	status, _ := f.StatusOf(unit)
	return status == plan.HunkApplied
}

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

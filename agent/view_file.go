package agent

import (
	"redline/agent/plan"
	"redline/edits"
	"redline/edits/track"
)

// FileView is what a plan does to one file, placed in the text of now.
type FileView struct {
	Change   *plan.Change
	Path     string // where the file is now: a renamed file is at its new path
	URI      string
	Status   plan.FileStatus // stale when one of its hunks is
	Reason   string
	Live     *edits.Lines // the text that the spans are in; empty for a file that is not there
	Base     string       // the text that the change was made from
	Proposed string       // the text that the change leads to

	standing
}

// standing is how a file stands, as whoever follows its text knows it.
type standing struct {
	plan       *plan.Plan // the value that the view is of
	outside    bool       // the current revision does not touch the file: it is only here for an undo
	exists     bool       // it is there, or cannot be read
	unreadable string     // what is there instead of a text, "" if nothing is

	placement track.Placement // of the hunks in the text
	has       []bool          // for each hunk whether placement follows its new lines, not its old ones
	marks     []plan.HunkMark // what is stored of the hunks
	clash     string          // why the file as a whole cannot be decided on, "" if it can
	byUser    bool            // the user has created or deleted the file by hand
	moved     bool            // the user has moved the file by hand
}

// ByHand is the reason of what counts as applied without a decision: the user has typed it, or
// has redone in the editor what was undone.
const byHand = "the text has this change already"

// newFileView completes the view of a file of the revision r: it works out the file's status.
func newFileView(v FileView, r *plan.Revision) *FileView {
	v.Status, v.Reason = v.plan.File(r, v.Change)
	if v.Status == plan.FilePending {
		v.Status, v.Reason = v.statusNow(v.Reason)
	}
	return &v
}

// statusNow is the status of a file that is stored as pending, with the given reason: stale
// when something of it is, applied when the user has made all of it by hand.
func (f *FileView) statusNow(reason string) (plan.FileStatus, string) {
	waits := f.Change.Action == plan.Rename && !f.moved && f.plan.Progress.File(f.plan.Current, f.Change.Path).Move == plan.FilePending
	for i := range f.marks {
		switch status, why := f.StatusOf(i); status {
		case plan.HunkStale:
			return plan.FileStale, why
		case plan.HunkApplied, plan.HunkRejected:
		default:
			waits = true
		}
	}
	switch {
	case f.Len() == 0 && f.clash != "":
		return plan.FileStale, f.clash
	case waits:
		return plan.FilePending, reason
	}
	return plan.FileApplied, byHand
}

// holds reports whether the file exists with exactly that text.
func (f *FileView) holds(text string) bool {
	return f.exists && f.unreadable == "" && f.Live.Text() == text
}

// pathIn is where the file is once its plan has the value p.
func (f *FileView) pathIn(p *plan.Plan) string { return pathIn(f.Change, f.moved, p) }

// pathIn is where a file is in a plan with the value p; moved says that the user has moved
// it by hand.
func pathIn(c *plan.Change, moved bool, p *plan.Plan) string {
	if c.Action == plan.Rename && (moved || p.Progress.File(p.Current, c.Path).Move == plan.FileApplied) {
		return c.NewPath
	}
	return c.Path
}

package agent

import (
	"redline/agent/plan"
	"redline/edits"
)

// ProposedNow returns the file's text of now with everything in it that waits
// for the user or is being carried out: what approving all of that makes of it.
// Hunks that are stale fit nowhere now and are left out; their ids are in
// stale. Where nothing waits it is the live text.
func (f *FileView) ProposedNow() (text string, stale []string) {
	var es []edits.Edit
	for i, hunk := range f.Change.Hunks {
		span, placed := f.placed.At(i)
		switch status, _ := f.now(i); {
		case status == plan.HunkStale:
			stale = append(stale, hunk.ID)
		case status == plan.HunkPending, status == plan.HunkApproved && placed && !f.has[i]:
			es = append(es, edits.Edit{Span: span, New: f.newText(i)})
		}
	}
	text, err := edits.Apply(f.Live.Text(), es)
	if err != nil { // half of them would be a text that nobody has proposed
		return f.Live.Text(), stale
	}
	return text, stale
}

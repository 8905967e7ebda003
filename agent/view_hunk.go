package agent

import (
	"redline/agent/plan"
	"redline/edits"
	"redline/edits/track"
)

// HunkView is one hunk in the live text.
type HunkView struct {
	plan.Hunk
	Status           plan.HunkStatus // stale when its own lines were touched
	Reason           string
	Span             edits.Span // whole lines of the live text
	OldText, NewText string
}

// Len is the number of hunks of the file.
func (f *FileView) Len() int { return len(f.Change.Hunks) }

// Hunk returns the hunk with the given index.
func (f *FileView) Hunk(i int) HunkView {
	h := f.Change.Hunks[i]
	span, whole := f.placement.At(i)
	v := HunkView{
		Hunk: h, Span: span,
		OldText: f.Base[h.Old.Start:h.Old.End], NewText: f.Proposed[h.New.Start:h.New.End],
	}
	v.Status, v.Reason = f.statusAt(i, span, whole)
	return v
}

// StatusOf returns the status of the hunk with the given index as the live text has it, and
// why.
func (f *FileView) StatusOf(i int) (plan.HunkStatus, string) {
	span, whole := f.placement.At(i)
	return f.statusAt(i, span, whole)
}

// statusAt is StatusOf for a hunk that is placed at span; whole is false if its lines were changed.
func (f *FileView) statusAt(i int, span edits.Span, whole bool) (plan.HunkStatus, string) {
	m := &f.marks[i]
	switch {
	case m.Status != plan.HunkPending:
		return m.Status, m.Why()
	case f.clash != "":
		return plan.HunkStale, f.clash
	case f.byUser:
		return plan.HunkApplied, byHand
	case !whole:
		return plan.HunkStale, "its lines were changed since it was proposed"
	case f.has[i]:
		return plan.HunkApplied, byHand
	case !track.KeepsLines(f.Live.Text(), edits.Edit{Span: span, New: f.newText(i)}):
		return plan.HunkStale, "the line end next to it was changed since it was proposed"
	}
	return plan.HunkPending, m.Why()
}

// newText is the new lines of a hunk.
func (f *FileView) newText(i int) string {
	s := f.Change.Hunks[i].New
	return f.Proposed[s.Start:s.End]
}

// Placed returns where an applied hunk's new lines are in the live text; ok is
// false when they were changed since.
func (f *FileView) Placed(i int) (span edits.Span, ok bool) { return f.placement.At(i) }

// Touching calls yield for each hunk whose live lines meet the byte span s,
// where meeting at an end counts. It stops when yield returns false.
func (f *FileView) Touching(s edits.Span, yield func(HunkView) bool) {
	for i := range f.Change.Hunks {
		span, _ := f.placement.At(i)
		if span.Start <= s.End && s.Start <= span.End && !yield(f.Hunk(i)) {
			return
		}
	}
}

// ProposedNow returns the file's text of now with everything in it that waits
// for the user or is being carried out: what approving all of that makes of it.
// Hunks that are stale fit nowhere now and are left out; their ids are in
// stale. Where nothing waits it is the live text.
func (f *FileView) ProposedNow() (text string, stale []string) {
	var es []edits.Edit
	for i, hunk := range f.Change.Hunks {
		span, placed := f.placement.At(i)
		switch status, _ := f.StatusOf(i); {
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

// applied reports whether a unit of the file is applied, or was made by hand.
func (f *FileView) applied(unit int) bool {
	if f.Len() == 0 {
		return f.Status == plan.FileApplied
	}
	status, _ := f.StatusOf(unit)
	return status == plan.HunkApplied
}

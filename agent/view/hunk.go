package view

import (
	"redline/agent/plan"
	"redline/edits"
	"redline/edits/track"
)

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

// Touching calls yield for each hunk whose live lines touch the byte span s, including at its
// ends. It stops when yield returns false.
func (f *File) Touching(s edits.Span, yield func(Hunk) bool) {
	for i := range f.Change.Hunks {
		span, _ := f.Placement.At(i)
		if span.Start <= s.End && s.Start <= span.End && !yield(f.Hunk(i)) {
			return
		}
	}
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

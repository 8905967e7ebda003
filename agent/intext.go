package agent

import (
	"slices"

	"redline/agent/plan"
	"redline/edits"
)

// outcomeByText says what the file as it is now tells about one part. over
// tells that what is not there is not coming any more. The caller holds a.mu.
func (a *Agent) outcomeByText(h *heldPlan, p part, verdict plan.Verdict, over bool) edits.Applied {
	landing := a.partInText(h, p)
	if verdict == plan.VerdictUndo {
		switch landing {
		case edits.Landed:
			landing = edits.Absent
		case edits.Absent:
			landing = edits.Landed
		}
	}
	o := edits.Applied{Path: p.file.change.Path, Status: edits.Unknown}
	switch {
	case landing == edits.Landed:
		o.Status = edits.Done
	case over && landing == edits.Absent:
		o.Status, o.Reason = edits.Refused, "the editor did not make the change"
	case over:
		o.Status, o.Reason = edits.Refused, "the text shows neither the old nor the new lines"
	}
	return o
}

// partInText tells whether the file as it is now has the part applied.
func (a *Agent) partInText(h *heldPlan, p part) edits.Landing {
	f := p.file
	now, err := a.ws.Read(f.change.Path)
	if err != nil {
		return edits.Unclear
	}
	onDisk, _, err := a.ws.Stat(f.change.Path)
	if err != nil {
		return edits.Unclear
	}
	switch f.change.Action {
	case plan.Create:
		switch {
		case !onDisk && now.Text == "":
			return edits.Absent
		case now.Text == f.proposed:
			return edits.Landed
		}
		return edits.Unclear
	case plan.Delete:
		switch {
		case !onDisk: // some editors keep the buffer
			return edits.Landed
		case now.Text == f.base:
			return edits.Absent
		}
		return edits.Unclear
	}
	text := now.Text
	if p.move {
		moved, err := a.ws.Read(f.change.NewPath)
		if a.ws.SameFile(f.change.Path, f.change.NewPath) { // found under both names
			onDisk, moved.Exists = a.ws.HasName(f.change.Path), a.ws.HasName(f.change.NewPath)
		}
		if err != nil || onDisk == moved.Exists {
			return edits.Unclear
		}
		switch {
		case !moved.Exists && h.hunksInText(p, false, now.Text):
			return edits.Absent
		case !moved.Exists: // the edits may be there without the move
			return edits.Unclear
		}
		text = moved.Text
	} else if live, err := a.ws.Read(f.livePath(h.plan)); err == nil {
		text = live.Text
	}
	switch {
	case h.hunksInText(p, true, text):
		return edits.Landed
	case h.hunksInText(p, false, text):
		return edits.Absent
	}
	return edits.Unclear
}

// hunksInText tells whether a text has all hunks of a part applied, or none.
func (h *heldPlan) hunksInText(p part, applied bool, text string) bool {
	f := p.file
	ref, pieces := f.reference(func(id string) bool {
		if slices.ContainsFunc(p.hunks, func(i int) bool { return f.change.Hunks[i].ID == id }) {
			return applied
		}
		return h.plan.Progress.Hunk(id).Status == plan.HunkApplied
	})
	place := edits.Place(ref, pieces, text)
	return !slices.ContainsFunc(p.hunks, func(i int) bool { _, ok := place.At(i); return !ok })
}

package agent

import (
	"context"

	"redline/agent/plan"
	"redline/edits"
	"redline/workspace"
)

// settleLater settles a file whose fate was open when its text changes. Only
// an editor that opens, saves or closes a file says that nothing is to come:
// until then a missing change may be on its way.
func (a *Agent) settleLater(h *heldPlan, f *heldFile, kind workspace.EventKind) {
	status := h.mark(f).Status
	if status != plan.FileApplying && status != plan.FileUnverified {
		return
	}
	final := kind == workspace.SavedEvent || kind == workspace.Closed ||
		(kind == workspace.Opened && status == plan.FileUnverified)
	a.work.Go(func() {
		if err := contained(func() error { return a.settle(a.root, h, final) }); err != nil {
			a.log.Error("the outcome of an edit could not be recorded", errorField(err))
		}
		a.announce(h, "")
	})
}

// settle looks at the text of every file of which the editor has not said what
// became of it, and records what the text says. When final, a change that is
// not there is not coming any more.
func (a *Agent) settle(ctx context.Context, h *heldPlan, final bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if h.execution != nil && !h.execution.waiting {
		return nil // still being asked
	}
	next := h.plan.Clone()
	open, settled, ended := false, false, plan.VerdictApprove
	for _, f := range h.files {
		status := h.mark(f).Status
		if status != plan.FileApplying && status != plan.FileUnverified {
			continue
		}
		p, verdict := h.openPart(f)
		o := a.outcomeByText(h, p, verdict, final)
		if o.Status == edits.Unknown && status == plan.FileApplying {
			open = true
			continue
		}
		if o.Status == edits.Unknown || (o.Status == edits.Unverified && status == plan.FileUnverified) {
			continue
		}
		mark(next, h.revision, verdict, p, o, false)
		settled, ended = true, verdict
	}
	if !settled {
		return nil
	}
	x := h.execution
	if x == nil {
		x = &execution{verdict: ended} // of an earlier session
	}
	x.waiting = open
	if !open {
		h.execution = nil
	}
	if next.State == plan.Reviewing && next.Undecided(h.revision).None() {
		next.State = plan.Executing // what was unverified is settled: the execution ends now
	}
	return a.conclude(h, x, next)
}

// openPart is the part of a file that an execution has left open: the hunks
// that were approved, or, when nothing was, the applied ones being undone.
func (h *heldPlan) openPart(f *heldFile) (part, plan.Verdict) {
	approved := part{file: f, move: f.change.Action == plan.Rename}
	undone := approved
	for i, hunk := range f.change.Hunks {
		switch h.plan.Progress.Hunk(hunk.ID).Status {
		case plan.HunkApproved:
			approved.hunks = append(approved.hunks, i)
		case plan.HunkApplied:
			undone.hunks = append(undone.hunks, i)
		}
	}
	if len(approved.hunks) == 0 && len(undone.hunks) > 0 {
		return undone, plan.VerdictUndo
	}
	return approved, plan.VerdictApprove
}

// outcomeByText says what the file as it is now tells about one part.
func (a *Agent) outcomeByText(h *heldPlan, p part, verdict plan.Verdict, final bool) edits.Applied {
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
	case landing == edits.Absent && final:
		o.Status, o.Reason = edits.Refused, "the editor did not make the change"
	case final:
		o.Status, o.Reason = edits.Unverified, "the text shows neither the old nor the new lines"
	}
	return o
}

// partInText tells whether the file as it is now has the part applied.
func (a *Agent) partInText(h *heldPlan, p part) edits.Landing {
	f := p.file
	old, err := a.ws.Read(f.change.Path)
	if err != nil {
		return edits.Unclear
	}
	switch f.change.Action {
	case plan.Create:
		switch {
		case !old.Exists:
			return edits.Absent
		case old.Text == f.proposed:
			return edits.Landed
		}
		return edits.Unclear
	case plan.Delete:
		switch {
		case !old.Exists:
			return edits.Landed
		case old.Text == f.base:
			return edits.Absent
		}
		return edits.Unclear
	}
	live := old
	if p.move {
		moved, err := a.ws.Read(f.change.NewPath)
		if err != nil || old.Exists == moved.Exists {
			return edits.Unclear
		}
		if !moved.Exists {
			return edits.Absent
		}
		live = moved
	}
	in := func(want bool) bool {
		place := func() edits.Placement {
			ref, pieces := f.reference(func(id string) bool {
				for _, i := range p.hunks {
					if f.change.Hunks[i].ID == id {
						return want
					}
				}
				return h.plan.Progress.Hunk(id).Status == plan.HunkApplied
			})
			return edits.Place(ref, pieces, live.Text)
		}()
		for _, i := range p.hunks {
			if _, ok := place.At(i); !ok {
				return false
			}
		}
		return true
	}
	switch {
	case in(true):
		return edits.Landed
	case in(false):
		return edits.Absent
	}
	return edits.Unclear
}

package agent

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/edits"
)

// Answered has it found out what became of a file for which the editor has
// answered after all: what its text does not show now is not coming any more.
func (a *Agent) Answered(path string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.root.Err() != nil {
		return
	}
	for _, h := range a.plans {
		x := h.execution
		for _, f := range h.files {
			if x == nil || f.change.Path != path && f.change.NewPath != path && f.livePath(h.plan) != path {
				continue
			}
			a.spawn(func() {
				select {
				case <-x.done: // what it came to so far is recorded
				case <-a.root.Done():
					return
				}
				a.answeredFor(h, x, f)
			})
		}
	}
}

// answeredFor is Answered for one file of an execution that waits for it.
func (a *Agent) answeredFor(h *heldPlan, x *execution, f *heldFile) {
	a.mu.Lock()
	waits := h.execution == x && x.waiting
	number := h.plan.Number
	a.mu.Unlock()
	if !waits {
		return
	}
	var changed bool
	err := contained(func() (err error) {
		changed, err = a.lookAt(a.root, h, []*heldFile{f}, false)
		return err
	})
	if err != nil {
		a.log.Error("what became of an edit could not be recorded", planField(number), errorField(err))
	}
	if changed {
		a.announce(h, "")
	}
}

func hasApplied(p *plan.Plan, f *heldFile) bool {
	for _, hunk := range f.change.Hunks {
		if p.Progress.Hunk(hunk.ID).Status == plan.HunkApplied {
			return true
		}
	}
	return false
}

// look finds out from the text what became of the files that an editor has not
// answered for, as far as the text tells.
func (a *Agent) look(ctx context.Context, h *heldPlan) error {
	_, err := a.lookAt(ctx, h, nil, false)
	return err
}

// lookAt is look; said are files of which the editor has just shown all that it
// has, and restarted tells that this is the first look of a session. A change that
// is not in the text is taken for refused only if nothing can come
// any more: the editor has said so, its process is gone, or it had its time.
func (a *Agent) lookAt(ctx context.Context, h *heldPlan, said []*heldFile, restarted bool) (changed bool, err error) {
	a.deciding.Lock()
	defer a.deciding.Unlock()
	a.mu.Lock()
	x, p := h.execution, h.plan
	a.mu.Unlock()
	if (x != nil && !x.waiting) || !unsettled(p, h.revision) {
		return false, nil
	}
	cutOff := false
	if x == nil {
		id, alive, err := a.unfinished(ctx, p.Number)
		if err != nil || alive {
			return false, err
		}
		cutOff = true
		x = &execution{id: id}
	}
	next := p.Clone()
	open := false
	a.mu.Lock()
	for _, f := range h.files {
		m := h.mark(f)
		if m.Sent == nil || (m.Status != plan.FileApplying && m.Status != plan.FileUnverified) {
			continue
		}
		over := restarted || slices.Contains(said, f)
		if m.Status == plan.FileApplying {
			over = over || cutOff || x.overdue(a.now())
		}
		// An editor that has outlived a server may still show the file, with
		// another text than the disk: it is looked at again then. It may do so
		// just now.
		_, shown := a.ws.Buffer(f.livePath(next))
		part := h.partOf(f, *m.Sent)
		o := a.outcomeByText(h, part, m.Sent.Verdict, over)
		if o.Status == edits.Unknown {
			open = open || m.Status == plan.FileApplying
			continue
		}
		x.verdict = m.Sent.Verdict
		if cutOff {
			x.parts = append(x.parts, part)
		}
		if m.Sent.Verdict == plan.VerdictReview {
			o.Reason = "" // that something was not let through needs none
			noteReviewed(next, h.revision, part, o)
		} else {
			noteOutcome(next, h.revision, m.Sent.Verdict, part, o, x.othersLanded(next, f))
		}
		maybe := (restarted || cutOff) && !shown && (part.inEditorPerhaps(next, m) || hasApplied(next, f))
		next.Progress.MarkUnsaved(h.revision.Number, f.change.Path, maybe || a.unsaved(next, f))
		changed = true
	}
	if changed {
		x.waiting = open
		if !open && h.execution == x {
			h.execution, x.ended = nil, true
		}
	}
	a.mu.Unlock()
	if !changed {
		return false, nil
	}
	err = a.conclude(h, x, next)
	a.mu.Lock()
	a.tellLate(h, x)
	a.mu.Unlock()
	return true, err
}

// inEditorPerhaps notes in p which hunks of a part, that was sent when the file had
// the mark m, are not on the disk and may still be in an editor that shows its
// documents later. It tells whether there are any.
func (part part) inEditorPerhaps(p *plan.Plan, m plan.FileMark) (any bool) {
	cause := plan.NotOnDisk
	if m.Sent.Verdict == plan.VerdictUndo {
		if cause = plan.NotKept; !m.Unsaved {
			return false // it was on the disk, and is not any more
		}
	}
	for _, i := range part.hunks {
		if id := part.file.change.Hunks[i].ID; p.Progress.Hunk(id).Status == plan.HunkPending {
			p.Progress.MarkHunkPending(id, cause)
			any = true
		}
	}
	return any
}

// unsettled tells whether it is open what became of a file of a plan.
func unsettled(p *plan.Plan, r *plan.Revision) bool {
	for i := range r.Changes {
		switch p.Progress.File(r.Number, r.Changes[i].Path).Status {
		case plan.FileApplying, plan.FileUnverified:
			return true
		}
	}
	return false
}

// othersLanded tells whether another file of the execution has its change.
func (x *execution) othersLanded(p *plan.Plan, f *heldFile) bool {
	for _, part := range x.parts {
		if part.file != f && hasApplied(p, part.file) {
			return true
		}
	}
	return false
}

// unfinished finds the execution of a plan that this session does not run, and
// tells whether the process that does is alive.
func (a *Agent) unfinished(ctx context.Context, n int) (id int64, alive bool, err error) {
	all, err := a.store.Unfinished(ctx, a.workspaceKey())
	for _, e := range all {
		if e.Plan == n {
			id, alive = e.ID, alive || a.store.Alive(e.ID)
		}
	}
	return id, alive, err
}

// partOf is the part of a plan that an editor was asked for.
func (h *heldPlan) partOf(f *heldFile, sent plan.Sent) part {
	p := part{file: f, move: sent.Move}
	for i, hunk := range f.change.Hunks {
		for _, id := range sent.Hunks {
			if hunk.ID == id {
				p.hunks = append(p.hunks, i)
			}
		}
	}
	return p
}

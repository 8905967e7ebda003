package agent

import (
	"context"

	"redline/agent/plan"
	"redline/edits"
	"redline/workspace"
)

// notKept is why something that was applied is pending again.
const notKept = "it was applied, but the file does not have it any more: the editor closed or undid it without saving"

// notOnDisk is why something is pending that a server which is gone had sent.
const notOnDisk = "it was being applied when Redline ended, and the file on the disk does not have it"

// mayComeBack tells whether a hunk was taken for pending though an editor may
// have it in a document that it has not shown, and not saved.
func mayComeBack(m plan.HunkMark) bool {
	return m.Status == plan.HunkPending && (m.Reason == notKept || m.Reason == notOnDisk)
}

// lookLater has it found out, off the read loop, what became of a file that an
// editor did not answer for, or of what was applied and may never be saved.
// The caller holds a.mu.
func (a *Agent) lookLater(h *heldPlan, f *heldFile, kind workspace.EventKind) {
	if a.root.Err() != nil {
		return // the session is over: Leave looks
	}
	status := h.mark(f).Status
	unsettled := status == plan.FileApplying || status == plan.FileUnverified
	moved := kind != workspace.Changed // the editor has opened, saved or closed it
	switch {
	case h.execution != nil && !h.execution.waiting:
		return // still being asked
	case !unsettled && !(moved && h.mark(f).Unsaved):
		return
	case h.looking && !moved:
		return // the look that is on its way comes after this text
	}
	h.looking = true
	number := h.plan.Number
	a.spawn(func() {
		var said *heldFile
		if moved {
			said = f
		}
		changed := false
		err := contained(func() (err error) {
			if changed, err = a.lookAt(a.root, h, said, false); err == nil && moved {
				var gone bool
				gone, err = a.recheck(a.root, h, f, true)
				changed = changed || gone
			}
			return err
		})
		if err != nil {
			a.log.Error("what became of an edit could not be recorded", planField(number), errorField(err))
		}
		if changed {
			a.announce(h, "")
		}
	})
}

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
		changed, err = a.lookAt(a.root, h, f, false)
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
// answered for, as far as the text tells. said is a file of which the editor
// has just shown all that it has, nil for none.
func (a *Agent) look(ctx context.Context, h *heldPlan, said *heldFile) error {
	_, err := a.lookAt(ctx, h, said, false)
	return err
}

// lookAt is look; restarted tells that this is the first look of a session. A
// change that is not in the text is taken for refused only if nothing can come
// any more: the editor has said so, its process is gone, or it had its time.
func (a *Agent) lookAt(ctx context.Context, h *heldPlan, said *heldFile, restarted bool) (changed bool, err error) {
	a.deciding.Lock()
	defer a.deciding.Unlock()
	a.mu.Lock()
	h.looking = false
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
		over := f == said || restarted
		if m.Status == plan.FileApplying {
			over = over || cutOff || x.overdue(a.now())
		}
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
		// An editor that has outlived a server may still show the file, with
		// another text than the disk: it is looked at again then.
		_, shown := a.ws.Buffer(f.livePath(next))
		maybe := restarted && !shown && (part.inEditorPerhaps(next, m) || hasApplied(next, f))
		next.Progress.MarkUnsaved(h.revision.Number, f.change.Path, maybe || a.unsaved(next, f))
		changed = true
	}
	if changed {
		x.waiting = open
		if !open && h.execution == x {
			h.execution = nil
		}
	}
	a.mu.Unlock()
	if !changed {
		return false, nil
	}
	return true, a.conclude(h, x, next)
}

// inEditorPerhaps notes in p which hunks of a part, that was sent when the file had
// the mark m, are not on the disk and may still be in an editor that shows its
// documents later. It tells whether there are any.
func (part part) inEditorPerhaps(p *plan.Plan, m plan.FileMark) (any bool) {
	reason := notOnDisk
	if m.Sent.Verdict == plan.VerdictUndo {
		if reason = notKept; !m.Unsaved {
			return false // it was on the disk, and is not any more
		}
	}
	for _, i := range part.hunks {
		if id := part.file.change.Hunks[i].ID; p.Progress.Hunk(id).Status == plan.HunkPending {
			p.Progress.MarkHunk(id, plan.HunkPending, reason)
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

// recheck looks at what was applied to a file and not saved yet, when the
// editor has saved, closed or opened the file. What is on the disk now is
// kept. Applied hunks of which the text has the old lines have gone with their
// buffer: they are pending again, until a buffer comes back with them, as when
// an editor closes a document only to open it as another language. said tells
// that the editor has just said what it has: else what is on the disk may be
// changed in an editor that was not heard yet. It reports whether a hunk has
// changed; it never edits.
func (a *Agent) recheck(ctx context.Context, h *heldPlan, f *heldFile, said bool) (changed bool, err error) {
	a.deciding.Lock()
	defer a.deciding.Unlock()
	a.mu.Lock()
	next, gone, back, saved := a.rechecked(h, f, said)
	path := f.livePath(h.plan)
	a.mu.Unlock()
	if (gone || saved) && a.unsavedElsewhere(path) {
		return false, nil // it is there, in the other editor
	}
	var events []plan.Event
	switch {
	case gone:
		events = []plan.Event{plan.Undo}
		next.State, err = next.State.Next(plan.Undo)
	case back:
		if err = next.Apply(plan.Execute); err == nil {
			events, err = (&execution{verdict: plan.VerdictApprove}).end(next, h.revision, h.goesOn(a))
			events = append([]plan.Event{plan.Execute}, events...)
		}
	case !saved:
		return false, nil
	}
	if err != nil {
		return false, nil //nolint:nilerr // a plan that is being drafted is looked at again later
	}
	next.Updated = a.now().UTC()
	if gone || back {
		err = a.store.Settle(ctx, a.workspaceKey(), next)
	} else {
		err = a.store.Save(ctx, a.workspaceKey(), next, nil)
	}
	if err != nil {
		return false, a.kept(next.Number, err)
	}
	a.swap(h, next, events...)
	return gone || back, nil
}

// rechecked is the plan as the file's text shows it: whether some of what was
// unsaved is gone, or has come back, or all of it is saved, which only the editor
// can have said. The caller holds a.mu.
func (a *Agent) rechecked(h *heldPlan, f *heldFile, said bool) (next *plan.Plan, gone, back, saved bool) {
	next = h.plan.Clone()
	if h.execution != nil || !h.mark(f).Unsaved || h.file(f.change.Path) != f {
		return next, false, false, false
	}
	p := part{file: f, move: h.mark(f).Move == plan.FileApplied}
	for i, hunk := range f.change.Hunks {
		if was := h.plan.Progress.Hunk(hunk.ID); was.Status == plan.HunkApplied || mayComeBack(was) {
			p.hunks = append(p.hunks, i)
		}
	}
	found := a.partInText(h, p)
	for k, i := range p.hunks {
		id := f.change.Hunks[i].ID
		applied := h.plan.Progress.Hunk(id).Status == plan.HunkApplied
		switch {
		case applied && found.hunks[k] == edits.Absent:
			next.Progress.MarkHunk(id, plan.HunkPending, notKept)
			gone = true
		case !applied && found.hunks[k] == edits.Landed && (!p.move || found.move == edits.Landed):
			next.Progress.MarkHunk(id, plan.HunkApplied, "")
			back = true
		}
	}
	path := f.change.Path
	switch {
	case gone:
		next.Progress.Settle(h.revision.Number, path, notKept)
		return next, true, false, false
	case back:
		next.Progress.Settle(h.revision.Number, path, "")
	}
	if said && hasApplied(next, f) && !a.unsaved(next, f) {
		next.Progress.MarkUnsaved(h.revision.Number, path, false)
		saved = true
	}
	return next, false, back, saved
}

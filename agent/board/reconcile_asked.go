package board

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
)

// reconcileAsked compares the files that an editor was asked for, and has not answered, with
// their texts, and stores the result.
func (tx *Tx) reconcileAsked(ctx context.Context, e evidence) (changed bool, err error) {
	b, h := tx.b, tx.Held
	held := b.peek(h)
	x := held.execution
	if x != nil && !x.waiting || !unsettled(h.Plan(), h.Revision()) {
		return false, nil
	}
	exited := false // the process that sent the edits
	if x == nil {
		id, alive, err := tx.unfinished(ctx)
		if err != nil || alive {
			return false, err
		}
		exited, x = true, &Execution{id: id}
	}
	asked := slices.DeleteFunc(slices.Clone(held.files), func(f *heldFile) bool { return !h.mark(f).Asked() })
	next := h.Plan().Clone()
	open := false
	t, l := b.lockWith(func(*table) []Paths { return pathsOfAll(asked) })
	for _, f := range asked {
		word := editorSilent
		switch {
		case e.restarted:
			word = editorRestarted
		case f == e.answered, e.said && slices.Contains(e.files, f):
			word = editorShown
		case exited:
			word = editorExited
		case x.overdue(b.now()): // the plan may have dropped it meanwhile
			word = editorTimedOut
		}
		if t.noteAsked(l, t.of(h), x, next, f, word) {
			changed = true
		} else {
			open = open || h.mark(f).Status == plan.FileApplying
		}
	}
	if changed {
		x.waiting = open // together with the next line, so that Ended finds both
		if e := t.of(h); !open && e.execution == x {
			e.execution, x.ended = nil, true
		}
	}
	t.unlock()
	if !changed {
		return false, nil
	}
	err = tx.Conclude(x, next, open)
	b.with(h, func(t *table, e *entry) { t.reportLate(e, x) })
	return true, err
}

// noteAsked records in next the result for one file that an editor was asked for, and reports
// whether there is a result yet.
func (t *table) noteAsked(l *ReadAhead, h *entry, x *Execution, next *plan.Plan, f *heldFile, word editorWord) bool {
	m := h.mark(f)
	record := recordAsked
	if m.Status == plan.FileUnverified {
		record = recordUnverified
	}
	part := view.PartOf(t.fileView(h, f), *m.Sent)
	of := sentPart{Hunks: part.Hunks, Move: part.Move, Moved: f.PathIn(h.Plan()) == f.Change.NewPath}
	found := f.file().Find(of, h.Plan().Progress.Applied, names(l, f.Change))
	finding, landings, move := reconcileSent(record, m.Sent.Verdict, of, found, word)
	o := edits.Applied{Path: f.Change.Path, Landings: landings, Move: move}
	switch finding.Outcome {
	case reconciledOpen:
		return false
	case reconciledDone:
		o.Status = edits.Done
	case reconciledRefused:
		o.Status = edits.Refused
	default:
		o.Status = edits.Unverified
	}
	// An editor that has outlived a server may still show the file with another text than the
	// disk, perhaps in a moment: then it is compared again.
	_, shown := t.ws.Buffer(f.PathIn(next))
	exited := x.foreign() || word == editorRestarted
	if x.foreign() {
		x.intent.Verdict, x.intent.Parts = m.Sent.Verdict, append(x.intent.Parts, part)
	}
	path := f.Change.Path
	part.NoteOutcome(next, m.Sent.Verdict, o, x.intent.othersLanded(next, f))
	if m.Sent.Verdict != plan.VerdictReview { // a change that the user did not accept needs no reason
		next.Progress.MarkCause(h.Revision().Number, path, finding.Cause)
	}
	maybe := exited && !shown && (markLater(next, part, laterCause(m.Sent.Verdict, m.Unsaved)) || view.HasApplied(next, f.Change))
	next.Progress.MarkUnsaved(h.Revision().Number, path, maybe || view.OnlyUnsaved(l, next, part.File))
	return true
}

// markLater marks the pending hunks of a part with the cause for which they may come back; it
// does nothing if cause is "". It reports whether it marked any.
func markLater(p *plan.Plan, part view.Part, cause plan.Cause) (any bool) {
	for _, i := range part.Hunks {
		if id := part.File.Change.Hunks[i].ID; cause != "" && p.Progress.Hunk(id).Status == plan.HunkPending {
			p.Progress.MarkHunkPending(id, cause)
			any = true
		}
	}
	return any
}

// unsettled reports whether the result for a file of a plan is unknown.
func unsettled(p *plan.Plan, r *plan.Revision) bool {
	for i := range r.Changes {
		switch p.Progress.File(r.Number, r.Changes[i].Path).Status {
		case plan.FileApplying, plan.FileUnverified:
			return true
		}
	}
	return false
}

// othersLanded reports whether another file of the intent has its change.
func (i *Intent) othersLanded(p *plan.Plan, f *heldFile) bool {
	for _, part := range i.Parts {
		if part.File.Change != f.Change && view.HasApplied(p, part.File.Change) {
			return true
		}
	}
	return false
}

// unfinished returns the execution of the plan that this session does not run, and reports
// whether the process that runs it is alive.
func (tx *Tx) unfinished(ctx context.Context) (id int64, alive bool, err error) {
	all, err := tx.b.store.Unfinished(ctx, tx.b.session.Key())
	for _, e := range all {
		if e.Plan == tx.Held.Number() {
			id, alive = e.ID, alive || tx.b.store.Alive(e.ID)
		}
	}
	return id, alive, err
}

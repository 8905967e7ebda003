package board

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
)

// appliedFile is a file with changes that the current revision, or an earlier one, has applied,
// even if its unsaved buffer was discarded since. The current revision does not contain what an
// earlier one has applied, so only the text shows whether that is still there.
type appliedFile struct {
	reconciledFile
	revision int
	hunks    []int     // indices in Change.Hunks of those that are applied or may come back
	moved    bool      // the plan moved the file
	path     string    // its current path
	current  *heldFile // nil for an earlier revision
	word     editorWord
}

// appliedChange is the result of comparing an appliedFile with its text.
type appliedChange struct {
	appliedFile
	reconciledChange
}

// reconcileApplied compares hunks that are applied, or were until their unsaved buffer was
// discarded, with the text. What is on the disk is saved. A hunk whose old lines are back is
// pending, until a buffer comes back with it, as when an editor closes a document only to open
// it as another language. What cannot be compared now is compared later. All results are stored
// as one change of the plan.
func (tx *Tx) reconcileApplied(ctx context.Context, e evidence) (changed bool, err error) {
	b, h := tx.b, tx.Held
	files, left := tx.appliedFiles(e)
	defer func() {
		b.with(h, func(_ *table, held *entry) {
			every := e.all || e.past && e.paths == nil
			held.pastLeft = held.pastLeft && !every || left || (e.all || e.past) && err != nil
		})
	}()
	var all []appliedChange
	for _, k := range files {
		t, l := b.lockReadFile(k.Change) // locks for each file, because typing waits for the table
		c, ok := t.findApplied(l, t.of(h), k)
		t.unlock()
		if ok && (!c.None() || c.Saved) {
			all = append(all, appliedChange{k, c})
		}
	}
	next := h.Plan().Clone()
	events, changed, noted := noteApplied(next, h.Revision(), all, h.staging.Load())
	if !noted {
		return false, nil // also if the plan is being drafted; then it is compared again later
	}
	next.Updated = b.now().UTC()
	if changed {
		b.presence.Publish(false) // before others can see that something is applied
		err = b.store.Settle(ctx, b.session.Key(), next)
	} else {
		err = b.store.Save(ctx, b.session.Key(), next, nil)
	}
	if err != nil {
		return false, b.StoreError(next.Number, err)
	}
	tx.swap(next, events...)
	return changed, nil
}

// appliedFiles lists the files that the evidence names. left reports whether some of what earlier
// revisions have applied cannot be compared now: the plan is being carried out or drafted, or
// another editor has the file unsaved.
func (tx *Tx) appliedFiles(e evidence) (files []appliedFile, left bool) {
	b, h := tx.b, tx.Held
	t := b.lock()
	busy, current := t.of(h).execution != nil, append(e.files, e.closed...)
	if e.all {
		current, e.past = t.of(h).files, true
	}
	for _, f := range current {
		m := h.mark(f)
		if busy || !m.Unsaved && len(f.undone.saved) == 0 || t.of(h).file(f.Change.Path) != f {
			continue
		}
		k := appliedFile{reconciledFile: f.file(), revision: h.Revision().Number, current: f, path: f.PathIn(h.Plan()), moved: m.Move == plan.FileApplied}
		for i, hunk := range f.Change.Hunks {
			if h.Plan().Progress.Hunk(hunk.ID).MayBeThere() {
				k.hunks = append(k.hunks, i)
			}
		}
		files = append(files, k)
	}
	past := t.of(h).past
	t.unlock()
	for _, c := range past {
		named := e.paths == nil || slices.Contains(e.paths, c.Change.Path) || slices.Contains(e.paths, c.Change.NewPath)
		switch {
		case !e.past || !named:
		case busy || h.Plan().State == plan.Drafting:
			left = true
		default:
			files = append(files, appliedFile{reconciledFile: fileOfPast(c), revision: c.Revision, hunks: c.Hunks, path: c.LivePath(h.Plan()), moved: c.Moved(h.Plan())})
		}
	}
	elsewhere := b.presence.Elsewhere()
	for i := range files {
		k := &files[i]
		switch k.word = editorSilent; {
		case elsewhere(k.path) != "":
			k.word, left = editorElsewhere, left || k.current == nil
		case slices.Contains(e.closed, k.current), e.said && (slices.Contains(e.files, k.current) || k.current == nil && e.paths != nil):
			k.word = editorShown // or is saved, see findApplied
		}
	}
	return files, left
}

// findApplied compares a file with its text. ok is false if the table does not follow that text
// yet: the user has typed since, and the next save compares again.
func (t *table) findApplied(l *ReadAhead, h *entry, k appliedFile) (c reconciledChange, ok bool) {
	if f := k.current; f != nil {
		if b, open := t.ws.Buffer(f.PathIn(h.Plan())); h.execution != nil || open && f.Live != nil && f.Live != b.Lines {
			return c, false
		}
	}
	n := names(l, k.Change)
	part := sentPart{Hunks: k.hunks, Moved: k.path == k.Change.NewPath}
	move, path := edits.Landed, k.path
	switch {
	case k.moved && k.current != nil:
		part.Move = true
	case k.moved:
		if move = n.Moved(); move == edits.Absent {
			part.Moved, path = false, k.Change.Path
		}
	}
	found := k.Find(part, h.Plan().Progress.Applied, n)
	if part.Move {
		move = found.Move
	}
	hunks := h.records(k, found.Hunks, move)
	if k.word == editorShown && !view.OnlyInEditor(l, path) {
		k.word = editorSavedIt
	}
	return reconcileHunks(hunks, h.Plan().Progress.File(k.revision, k.Change.Path).Unsaved, k.word), true
}

// records pairs what was found about a file's hunks, and about a move by an earlier revision,
// with the plan's record of them.
func (h *entry) records(k appliedFile, found []edits.Landing, move edits.Landing) (hunks []reconciledHunk) {
	if k.current == nil && k.moved {
		hunks = append(hunks, reconciledHunk{Record: recordEarlier, Found: move})
	}
	for i, l := range found {
		id := k.Change.Hunks[k.hunks[i]].ID
		record := k.record(h.Plan(), id)
		if record == recordGone && move != edits.Landed {
			l = edits.Unclear // it comes back only with the move
		}
		hunks = append(hunks, reconciledHunk{ID: id, Record: record, Found: l})
	}
	return hunks
}

// record returns the plan's record of one hunk.
func (k appliedFile) record(p *plan.Plan, id string) recordState {
	applied := p.Progress.Applied(id)
	switch f := k.current; {
	case f == nil && applied:
		return recordEarlier
	case f == nil:
		return recordEarlierGone
	case !applied:
		return recordGone
	case slices.Contains(f.undone.saved, id):
		return recordUndone
	case !p.Progress.File(k.revision, k.Change.Path).Unsaved:
		return recordSaved
	case f.undone.isOpen(id):
		return recordUndoing
	}
	return recordUnsaved
}

// noteApplied records the results in p, as far as its state allows. It returns the events that
// it applied to p, whether a hunk has changed, and whether anything was recorded.
func noteApplied(p *plan.Plan, r *plan.Revision, all []appliedChange, goesOn bool) (events []plan.Event, changed, noted bool) {
	var gone, back bool // of the current revision: others do not change the plan's state
	for _, one := range all {
		gone = gone || one.current != nil && len(one.Gone) > 0
		back = back || one.current != nil && len(one.Back) > 0
	}
	if to, err := p.State.Next(plan.Undo); gone && err == nil {
		p.State, events = to, append(events, plan.Undo)
	} else {
		gone = false
	}
	if back = back && p.Apply(plan.Execute) == nil; back {
		events = append(events, plan.Execute)
	}
	for _, one := range all {
		if one.current != nil && (len(one.Gone) > 0 && !gone || len(one.Back) > 0 && !back) {
			continue
		}
		one.note(p)
		noted, changed = true, changed || !one.None()
	}
	if gone {
		p.TakeBack()
	}
	if back {
		ended, err := (&Intent{Verdict: plan.VerdictApprove}).end(p, r, goesOn)
		if err != nil {
			return nil, false, false
		}
		events = append(events, ended...)
	}
	return events, changed, noted
}

// note records the result for one file in p.
func (c appliedChange) note(p *plan.Plan) {
	path := c.appliedFile.Change.Path
	for _, one := range c.Gone {
		if one.ID == "" {
			p.Progress.MarkFile(c.revision, path, plan.FilePending, "")
			p.Progress.MarkCause(c.revision, path, one.Cause)
		} else {
			p.Progress.MarkHunkPending(one.ID, one.Cause)
		}
	}
	for _, id := range c.Back {
		p.Progress.MarkHunk(id, plan.HunkApplied, "")
	}
	if c.current != nil && !c.None() {
		p.Progress.Settle(c.revision, path, "")
		p.Progress.MarkCause(c.revision, path, c.Cause())
		if len(c.Gone) > 0 {
			p.Progress.MarkUnsaved(c.revision, path, true) // it is compared again when it is saved again
		}
	}
	if c.Saved {
		p.Progress.MarkUnsaved(c.revision, path, false)
	}
}

// reconcileAsked compares the files that an editor was asked for, and has not answered, with
// their texts, and stores the result.
func (tx *Tx) reconcileAsked(ctx context.Context, e evidence) (changed bool, err error) {
	b, h := tx.b, tx.Held
	if !unsettled(h.Plan(), h.Revision()) {
		return false, nil
	}
	held := b.peek(h)
	x := held.execution
	if x != nil && !x.waiting {
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
	t, l := b.lockWith(pathsOfAll(asked), func(*table) []Paths { return pathsOfAll(asked) })
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
	// disk, perhaps in a moment: then it is compared again. One that shows it by now, but did not
	// when it was read, has not been compared either.
	_, shown := l.Buffer(f.PathIn(next))
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

package agent

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/edits"
)

// retold is the result of reading a file again that has applied hunks which are not
// saved, or which the user has taken back.
type retold struct {
	file  *heldFile
	gone  []string // hunks that it does not have any more
	why   plan.Cause
	back  []string // hunks that it has again
	saved bool     // nothing of it is unsaved now, which only the editor can have said
}

// recheckAll is recheck for all files of a plan, and for what earlier revisions
// have applied, where the editor has said nothing.
func (a *Agent) recheckAll(ctx context.Context, h *heldPlan) error {
	a.mu.Lock()
	files := h.files // replaced by another revision, never changed
	a.mu.Unlock()
	if _, err := a.recheck(ctx, h, files, false); err != nil {
		return err
	}
	_, err := a.recheckPast(ctx, h, nil, false)
	return err
}

// recheck looks at what was applied to the files and not saved yet, when the
// editor has saved, closed or opened them. What is on the disk now is kept.
// Applied hunks of which the text has the old lines have gone with their buffer:
// they are pending again, until a buffer comes back with them, as when an editor
// closes a document only to open it as another language. said tells that the
// editor has just said what it has: else what is on the disk may be changed in an
// editor that was not heard yet. It reports whether a hunk has changed; it never
// edits. All files are one change of the plan.
func (a *Agent) recheck(ctx context.Context, h *heldPlan, files []*heldFile, said bool) (changed bool, err error) {
	a.deciding.Lock()
	defer a.deciding.Unlock()
	var all []retold
	elsewhere := a.unsavedElsewhere()
	for _, f := range files {
		a.mu.Lock() // for each: typing waits for it
		one := a.retell(h, f, said)
		path := f.livePath(h.plan)
		a.mu.Unlock()
		if (len(one.gone) > 0 || one.saved) && elsewhere(path) {
			continue // it is there, in the other editor
		}
		if len(one.gone)+len(one.back) > 0 || one.saved {
			all = append(all, one)
		}
	}
	if len(all) == 0 {
		return false, nil
	}
	next := h.plan.Clone()
	events, changed, noted, err := noteRetold(next, h.revision, all, h.goesOn(a))
	if err != nil || !noted {
		return false, nil //nolint:nilerr // a plan that is being drafted is looked at again later
	}
	next.Updated = a.now().UTC()
	if changed {
		a.tellUnsaved(false) // before others can see that something is applied
		err = a.store.Settle(ctx, a.workspaceKey(), next)
	} else {
		err = a.store.Save(ctx, a.workspaceKey(), next, nil)
	}
	if err != nil {
		return false, a.kept(next.Number, err)
	}
	a.swap(h, next, events...)
	return changed, nil
}

// retell re-reads a file that has unsaved or undone hunks and returns what changed.
// The caller holds a.deciding and a.mu.
func (a *Agent) retell(h *heldPlan, f *heldFile, said bool) retold {
	out := retold{file: f, why: plan.NotKept}
	if len(f.undone.saved) > 0 {
		out.why = plan.UndoneInEditor
	}
	mark := h.mark(f)
	if h.execution != nil || !mark.Unsaved && len(f.undone.saved) == 0 || h.file(f.change.Path) != f {
		return out
	}
	if b, open := a.ws.Buffer(f.livePath(h.plan)); open && f.live != nil && f.live != b.Lines {
		return out // the user has typed since: that is followed first, and the next save looks again
	}
	p := part{file: f, move: mark.Move == plan.FileApplied}
	for i, hunk := range f.change.Hunks {
		if h.plan.Progress.Hunk(hunk.ID).Kept() {
			p.hunks = append(p.hunks, i)
		}
	}
	found := a.partInText(h, p)
	stays := false
	for k, i := range p.hunks {
		id := f.change.Hunks[i].ID
		applied := h.plan.Progress.Hunk(id).Status == plan.HunkApplied
		switch {
		case applied && found.hunks[k] == edits.Absent && f.isGone(mark, id):
			out.gone = append(out.gone, id)
		case !applied && found.hunks[k] == edits.Landed && (!p.move || found.move == edits.Landed):
			out.back = append(out.back, id)
			stays = true
		case applied:
			stays = true
		}
	}
	out.saved = said && stays && mark.Unsaved && len(out.gone) == 0 && !a.onlyInEditor(f.livePath(h.plan))
	return out
}

// isGone reports whether an applied hunk that the text does not have is pending again,
// by what the editor has said since.
func (f *heldFile) isGone(m plan.FileMark, id string) bool {
	return slices.Contains(f.undone.saved, id) || m.Unsaved && !f.undone.isOpen(id)
}

// noteRetold notes in p what the texts of its files tell, as far as its state lets
// it change: a plan that is being drafted is looked at again later. It returns the
// events that p went over, and whether a hunk, or anything, has changed.
func noteRetold(p *plan.Plan, r *plan.Revision, all []retold, goesOn bool) (events []plan.Event, changed, noted bool, err error) {
	var gone, back bool
	for _, one := range all {
		gone = gone || len(one.gone) > 0
		back = back || len(one.back) > 0
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
		path := one.file.change.Path
		if len(one.gone) > 0 && !gone || len(one.back) > 0 && !back {
			continue
		}
		noted = true
		for _, id := range one.gone {
			p.Progress.MarkHunkPending(id, one.why)
		}
		for _, id := range one.back {
			p.Progress.MarkHunk(id, plan.HunkApplied, "")
		}
		switch {
		case len(one.gone) > 0:
			p.Progress.Settle(r.Number, path, "")
			p.Progress.MarkCause(r.Number, path, one.why)
			p.Progress.MarkUnsaved(r.Number, path, true) // it is looked at again when it is saved again
		case len(one.back) > 0:
			p.Progress.Settle(r.Number, path, "")
		}
		if one.saved {
			p.Progress.MarkUnsaved(r.Number, path, false)
		}
	}
	if back {
		var ended []plan.Event
		ended, err = (&execution{verdict: plan.VerdictApprove}).end(p, r, goesOn)
		events = append(events, ended...)
	}
	return events, gone || back, noted, err
}

package agent

import (
	"context"
	"errors"
	"slices"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/landed"
)

// The current revision says nothing of what an earlier one has applied and the
// text has since absorbed. If it goes, with a buffer that was never saved or in
// an undo that was cut off, only the text tells.

// keepsAny tells whether anything of a change is applied, or was until its buffer
// went.
func keepsAny(p *plan.Plan, c *plan.Change) bool {
	moved := p.Progress.File(p.Current, c.Path).Move == plan.FileApplied
	return moved || slices.ContainsFunc(c.Hunks, func(h plan.Hunk) bool { return p.Progress.Hunk(h.ID).Kept() })
}

// pastAt tells whether an earlier revision has applied something to the file at
// path.
func (h *heldPlan) pastAt(path string) bool {
	for _, c := range h.past {
		if c.change.Path == path || c.change.NewPath == path {
			return true
		}
	}
	return false
}

// recheckPast looks at what earlier revisions have applied to the files at paths,
// nil for all files: what the text does not have is not applied any more, until a
// buffer comes back with it. said tells that the editor has just said what it has:
// then what is not in an editor only is saved. It never edits. What it cannot look
// at now is looked at again later, see lookPastAgain.
func (a *Agent) recheckPast(ctx context.Context, h *heldPlan, paths []string, said bool) (changed bool, err error) {
	a.deciding.Lock()
	defer a.deciding.Unlock()
	left := false
	defer func() {
		a.mu.Lock()
		h.pastLeft = h.pastLeft && paths != nil || left || err != nil
		a.mu.Unlock()
	}()
	var past []*pastChange
	elsewhere := a.unsavedElsewhere()
	for _, c := range h.past {
		switch {
		case paths != nil && !slices.Contains(paths, c.change.Path) && !slices.Contains(paths, c.change.NewPath):
		case elsewhere(c.livePath(h.plan)):
			left = true
		default:
			past = append(past, c)
		}
	}
	a.mu.Lock()
	if h.execution != nil || h.plan.State == plan.Drafting {
		left = left || len(past) > 0
		a.mu.Unlock()
		return false, nil
	}
	next := h.plan.Clone()
	saved := false
	for _, c := range past {
		changed = a.notePastInText(next, c) || changed
		if mark := next.Progress.File(c.revision, c.change.Path); said && mark.Unsaved && !a.onlyInEditor(c.livePath(next)) {
			next.Progress.MarkUnsaved(c.revision, c.change.Path, false)
			saved = true
		}
	}
	a.mu.Unlock()
	next.Updated = a.now().UTC()
	switch {
	case changed:
		err = a.store.Settle(ctx, a.workspaceKey(), next)
	case saved:
		err = a.store.Save(ctx, a.workspaceKey(), next, nil)
	default:
		return false, nil
	}
	if err != nil {
		return false, a.kept(next.Number, err)
	}
	a.swap(h, next)
	return changed, nil
}

// lookPastAgain is recheckPast for what could not be looked at before, since a
// turn or an execution was at work on the plan, or another editor had the file
// unsaved. It tells whether that has changed the plan. The caller holds no lock.
func (a *Agent) lookPastAgain(ctx context.Context, h *heldPlan) (changed bool) {
	a.mu.Lock()
	left, number := h.pastLeft, h.plan.Number
	a.mu.Unlock()
	if !left {
		return false
	}
	changed, err := a.recheckPast(ctx, h, nil, false)
	if _, refused := errors.AsType[*Refusal](err); err != nil && !refused && ctx.Err() == nil { // or another Redline was faster
		a.log.Error("what became of an earlier revision could not be recorded", planField(number), errorField(err))
	}
	return changed
}

// notePastInText notes in next what the file of a past change has of it, as far
// as its text tells, and reports whether that is something new.
func (a *Agent) notePastInText(next *plan.Plan, c *pastChange) (changed bool) {
	if c.moved(next) && a.moveInText(&heldFile{change: c.change}) == edits.Absent {
		next.Progress.MarkFile(c.revision, c.change.Path, plan.FilePending, "")
		next.Progress.MarkCause(c.revision, c.change.Path, plan.NotKept)
		changed = true
	}
	for k, l := range a.pastInText(next, c) {
		id := c.change.Hunks[c.hunks[k]].ID
		switch m := next.Progress.Hunk(id); {
		case l == edits.Absent && m.Status == plan.HunkApplied:
			next.Progress.MarkHunkPending(id, plan.NotKept)
			changed = true
		case l == edits.Landed && m.Status != plan.HunkApplied && m.Kept():
			next.Progress.MarkHunk(id, plan.HunkApplied, "")
			changed = true
		}
	}
	return changed
}

// pastInText tells which of the hunks of a past change its file has now.
func (a *Agent) pastInText(p *plan.Plan, c *pastChange) []edits.Landing {
	out := make([]edits.Landing, len(c.hunks)) // unclear
	if len(c.hunks) == 0 {
		return out
	}
	f := &heldFile{change: c.change, base: c.base, proposed: c.proposed}
	if c.change.Action == plan.Create || c.change.Action == plan.Delete {
		out[0] = a.wholeInText(f)
		return out
	}
	file, err := a.ws.Read(c.livePath(p))
	if err != nil || !file.Exists {
		return out
	}
	asked := make(map[string]bool, len(c.hunks))
	for _, i := range c.hunks {
		asked[c.change.Hunks[i].ID] = true
	}
	without, places := f.reference(func(id string) bool {
		return !asked[id] && p.Progress.Hunk(id).Status == plan.HunkApplied
	})
	es := make([]edits.Edit, len(c.hunks))
	for k, i := range c.hunks {
		s := c.change.Hunks[i].New
		es[k] = edits.Edit{Span: places[i], New: c.proposed[s.Start:s.End]}
	}
	return landed.Of(without, es, file.Text)
}

package agent

import (
	"context"

	"redline/agent/plan"
	"redline/edits"
	"redline/workspace"
)

// notKept is why something that was applied is pending again.
const notKept = "it was applied, but the file does not have it any more: the editor closed or undid it without saving"

// recheckLater looks again at what was applied to a file when an editor opens,
// closes or saves it: what was never saved has gone with its buffer.
func (a *Agent) recheckLater(h *heldPlan, f *heldFile, kind workspace.EventKind) {
	if kind == workspace.Changed || !hasApplied(h.plan, f) {
		return
	}
	a.work.Go(func() {
		gone := false
		err := contained(func() (err error) {
			gone, err = a.recheck(a.root, h, f)
			return err
		})
		if err != nil {
			a.log.Error("what has become of an applied edit could not be recorded", errorField(err))
		}
		if gone {
			a.announce(h, "")
		}
	})
}

func hasApplied(p *plan.Plan, f *heldFile) bool {
	for _, hunk := range f.change.Hunks {
		if p.Progress.Hunk(hunk.ID).Status == plan.HunkApplied {
			return true
		}
	}
	return false
}

// recheck makes the applied hunks of a file pending again when the text has
// their old lines. What the text does not show clearly stays as it is. It
// reports whether something has changed; it never edits.
func (a *Agent) recheck(ctx context.Context, h *heldPlan, f *heldFile) (gone bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if h.execution != nil {
		return false, nil
	}
	next := h.plan.Clone()
	for i, hunk := range f.change.Hunks {
		if h.plan.Progress.Hunk(hunk.ID).Status != plan.HunkApplied {
			continue
		}
		p := part{file: f, hunks: []int{i}, move: f.change.Action == plan.Rename && h.mark(f).Move == plan.FileApplied}
		if a.partInText(h, p) == edits.Absent {
			next.Progress.MarkHunk(hunk.ID, plan.HunkPending, notKept)
			gone = true
		}
	}
	if !gone {
		return false, nil
	}
	next.Progress.Settle(h.revision.Number, f.change.Path, notKept)
	next.State = afterUndo(next)
	next.Updated = a.now().UTC()
	if err := a.store.Save(ctx, a.workspaceKey(), next, nil); err != nil {
		return false, err
	}
	h.plan = next
	for _, f := range h.files {
		a.place(h, f)
	}
	a.changed(h)
	a.forgetDecided(h)
	return true, nil
}

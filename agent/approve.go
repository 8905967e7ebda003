package agent

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/agent/preview"
	"redline/edits"
)

// Approve carries out what the decision names. It returns once the text of
// every file was verified, or after five seconds with the state executing.
// A [*Refusal] of the kind apply_failed says what of it is where; any other
// means that nothing was changed.
func (a *Agent) Approve(ctx context.Context, d Decide) (Result, error) {
	return a.decide(ctx, d, a.prepareApproval)
}

// decide checks a decision that an editor carries out, stores it, and has it
// carried out.
func (a *Agent) decide(ctx context.Context, d Decide, prepare func(*heldPlan, Decide) (*execution, *plan.Decision, error)) (Result, error) {
	h, err := a.find(ctx, d.Plan)
	if err != nil {
		return Result{}, err
	}
	if err := a.look(ctx, h, nil); err != nil {
		return Result{}, err
	}
	a.deciding.Lock()
	a.mu.Lock()
	x, decision, err := prepare(h, d)
	a.mu.Unlock()
	if err == nil {
		err = a.begin(ctx, h, x, decision)
	}
	a.deciding.Unlock()
	if err != nil {
		return Result{}, err
	}
	return a.carryOut(ctx, h, x)
}

// prepareApproval checks an approval. The caller holds a.deciding and a.mu.
func (a *Agent) prepareApproval(h *heldPlan, d Decide) (*execution, *plan.Decision, error) {
	if err := h.ready(plan.Execute); err != nil {
		return nil, nil, err
	}
	if err := h.bind(d); err != nil {
		return nil, nil, err
	}
	a.lookAgain(h)
	s, err := h.scopeOf(d, undecided)
	if err != nil {
		return nil, nil, err
	}
	if len(s.commands) > 0 && (d.AllowCommands || len(s.parts) == 0) {
		return nil, nil, refuse(NotAllowed, "This version shows commands but does not run them: run %s yourself, or reject it.", nounOf("command", s.commands))
	}
	if err := a.previewIsAsWritten(h); err != nil {
		return nil, nil, err
	}
	fits, stale, why := a.fitting(h, s)
	if len(stale) > 0 && !d.SkipStale {
		return nil, nil, staleRefusal(h.plan.Number, stale, why)
	}
	_, made := a.withoutMade(h, s)
	if len(fits.parts)+len(made.parts) == 0 {
		return nil, nil, h.nothingLeft()
	}
	x := &execution{verdict: plan.VerdictApprove, parts: fits.parts, made: made.parts}
	for _, p := range x.parts {
		x.changes = append(x.changes, h.forward(p))
	}
	x.next = h.plan.Clone()
	if err := x.next.Apply(plan.Execute); err != nil {
		return nil, nil, refuse(WrongState, "Plan %d: %s", h.plan.Number, err)
	}
	a.noteMade(h, x.next)
	for _, p := range x.parts {
		for _, i := range p.hunks {
			x.next.Progress.MarkHunk(p.file.change.Hunks[i].ID, plan.HunkApproved, "")
		}
	}
	fits.parts = slices.Concat(fits.parts, made.parts)
	return x, a.decision(h, d, plan.VerdictApprove, fits), nil
}

// nothingLeft is the refusal of an approval that names nothing undecided.
func (h *heldPlan) nothingLeft() error {
	for _, f := range h.files {
		if h.mark(f).Status == plan.FileUnverified {
			return refuse(Busy, "Redline cannot see what became of %s: open or save it in your editor, then decide again.", f.change.Path)
		}
	}
	return refuse(WrongState, "Nothing that this names in plan %d is still undecided.", h.plan.Number)
}

// previewIsAsWritten refuses an approval while the user has something else in
// the preview than what would happen: this version does not read it back.
func (a *Agent) previewIsAsWritten(h *heldPlan) error {
	if b, ok := a.ws.Buffer(h.preview); ok && b.Dirty {
		return refuse(UnsavedPreview, "The preview of plan %d has unsaved changes: undo them, or reject the hunks that you do not want.", h.plan.Number)
	}
	data, err := a.ws.Own().Read(preview.Name(h.plan.Number, h.revision.Number))
	if err != nil || plan.BlobOf(string(data)) == h.written {
		return nil
	}
	if string(data) != preview.Render(h.plan, h.revision, h.texts()) {
		return refuse(NotAllowed, "The preview of plan %d was edited, which this version does not read: undo that, or reject the hunks that you do not want.", h.plan.Number)
	}
	return nil
}

// forward is the change that carries out one part of a plan, on the file's
// text as it is now. The part must fit it.
func (h *heldPlan) forward(p part) edits.Change {
	f := p.file
	c := edits.Change{Path: f.livePath(h.plan), Base: f.live.Text()}
	switch f.change.Action {
	case plan.Create:
		return edits.Change{Path: c.Path, Kind: edits.Create, Text: f.proposed, Mode: f.change.Mode, BOM: f.change.BOM}
	case plan.Delete:
		c.Kind = edits.Delete
		return c
	}
	if p.move {
		c.Kind, c.NewPath = edits.Rename, f.change.NewPath
	}
	for _, i := range p.hunks {
		span, _ := f.placed.At(i)
		hunk := f.change.Hunks[i]
		c.Edits = append(c.Edits, edits.Edit{Span: span, New: f.proposed[hunk.New.Start:hunk.New.End]})
	}
	return c
}

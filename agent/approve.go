package agent

import (
	"context"

	"redline/agent/plan"
	"redline/edits"
)

// Approve carries out what the decision names. It returns once the text of
// every file was verified, or after five seconds with the state executing.
// A [*Refusal] means that nothing was changed, or that what was changed has
// been taken back; its text says so if something could not be.
func (a *Agent) Approve(ctx context.Context, d Decide) (Result, error) {
	h, err := a.find(ctx, d.Plan)
	if err != nil {
		return Result{}, err
	}
	a.settle(ctx, h, true)
	a.mu.Lock()
	x, err := a.prepareApproval(ctx, h, d)
	a.mu.Unlock()
	if err != nil {
		return Result{}, err
	}
	return a.carryOut(ctx, h, x)
}

// prepareApproval checks an approval and records it together with what is
// about to be sent. The caller holds a.mu.
func (a *Agent) prepareApproval(ctx context.Context, h *heldPlan, d Decide) (*execution, error) {
	if err := h.ready(plan.Execute); err != nil {
		return nil, err
	}
	if err := h.bind(d); err != nil {
		return nil, err
	}
	a.replace(h)
	s, err := h.scopeOf(d, undecided)
	if err != nil {
		return nil, err
	}
	if len(s.commands) > 0 && (d.AllowCommands || len(s.parts) == 0) {
		return nil, refuse(NotAllowed, "This version shows commands but does not run them: run %s yourself, or reject it.", nounOf("command", s.commands))
	}
	if err := a.previewIsAsWritten(h); err != nil {
		return nil, err
	}
	if stale, why := a.stale(h, s); len(stale) > 0 {
		if !d.SkipStale {
			return nil, staleRefusal(h.plan.Number, stale, why)
		}
		s = s.without(stale)
	}
	if len(s.parts) == 0 {
		return nil, refuse(WrongState, "Nothing that this names in plan %d is still undecided.", h.plan.Number)
	}
	x := &execution{verdict: plan.VerdictApprove, parts: s.parts}
	for _, p := range s.parts {
		change, err := a.forward(h, p)
		if err != nil {
			return nil, err
		}
		x.changes = append(x.changes, change)
	}
	next := h.plan.Clone()
	if err := next.Apply(plan.Execute); err != nil {
		return nil, refuse(WrongState, "%s", err)
	}
	for _, p := range s.parts {
		for _, i := range p.hunks {
			next.Progress.MarkHunk(p.file.change.Hunks[i].ID, plan.HunkApproved, "")
		}
		next.Progress.MarkFile(h.revision.Number, p.file.change.Path, plan.FileApplying, "")
	}
	return x, a.begin(ctx, h, next, x, a.decision(h, d, plan.VerdictApprove, s))
}

// forward is the change that carries out one part of a plan, on the file's
// text as it is now.
func (a *Agent) forward(h *heldPlan, p part) (edits.Change, error) {
	f := p.file
	c := edits.Change{Path: f.livePath(h.plan), Base: f.live.Text()}
	if clash := f.clash(h.plan); clash != "" {
		return c, refuse(Stale, "%s cannot be changed as plan %d shows: %s.", f.change.Path, h.plan.Number, clash)
	}
	switch f.change.Action {
	case plan.Create:
		c.Kind, c.Text, c.Mode = edits.Create, f.proposed, f.change.Mode
		return c, nil
	case plan.Delete:
		c.Kind = edits.Delete
		return c, nil
	}
	if p.move {
		c.Kind, c.NewPath = edits.Rename, f.change.NewPath
		if exists, _, err := a.ws.Stat(c.NewPath); err != nil || exists {
			return c, refuse(Stale, "%s cannot be moved to %s: there is a file of that name now.", c.Path, c.NewPath)
		}
	}
	for _, i := range p.hunks {
		span, _ := f.placed.At(i)
		h := f.change.Hunks[i]
		c.Edits = append(c.Edits, edits.Edit{Span: span, New: f.proposed[h.New.Start:h.New.End]})
	}
	return c, nil
}

// backward is the change that takes one applied part of a plan back, on the
// file's text as it is now. Hunks whose new lines were changed since are
// returned in conflicts and are no part of it.
func (a *Agent) backward(h *heldPlan, p part) (c edits.Change, conflicts []string) {
	f := p.file
	c = edits.Change{Path: f.livePath(h.plan), Base: f.live.Text()}
	switch f.change.Action {
	case plan.Create:
		c.Kind = edits.Delete
		if f.exists && f.live.Text() != f.proposed {
			conflicts = append(conflicts, f.change.Hunks[0].ID)
		}
		return c, conflicts
	case plan.Delete:
		c = edits.Change{Path: f.change.Path, Kind: edits.Create, Text: f.base, Mode: f.change.Mode}
		if f.exists {
			conflicts = append(conflicts, f.change.Hunks[0].ID)
		}
		return c, conflicts
	}
	if p.move {
		c.Kind, c.NewPath = edits.Rename, f.change.Path
	}
	for _, i := range p.hunks {
		hunk := f.change.Hunks[i]
		span, ok := f.placed.At(i)
		back := edits.Edit{Span: span, New: f.base[hunk.Old.Start:hunk.Old.End]}
		if !ok || !edits.KeepsLines(c.Base, back) {
			conflicts = append(conflicts, hunk.ID)
			continue
		}
		c.Edits = append(c.Edits, back)
	}
	return c, conflicts
}

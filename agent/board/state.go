package board

import (
	"cmp"
	"context"
	"time"

	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/tried"
	"redline/agent/view"
)

// PlanState returns one plan as clients see it.
func (b *Board) PlanState(ctx context.Context, n int) (state.Plan, error) {
	h, err := b.Find(ctx, n)
	if p := b.UnreadablePlan(n); err != nil && p != nil {
		return UnreadableState(p), nil
	}
	if err != nil {
		return state.Plan{}, err
	}
	t, l := b.lockRead(h)
	defer t.unlock()
	t.placeClosed(l, t.of(h))
	return t.planState(t.of(h)), nil
}

// StateOf returns a plan of the session as clients see it. It reads no file.
func (b *Board) StateOf(h *Held) state.Plan {
	t := b.lock()
	defer t.unlock()
	return t.planState(t.of(h))
}

// emptyState returns a plan without its revision as clients see it.
func emptyState(p *plan.Plan) state.Plan {
	return state.Plan{
		Plan: p.Number, Goal: p.Goal, State: string(p.State), Conversation: p.Conversation, Revision: p.Current, Rating: p.Rating,
		Steps: []state.Step{}, Operations: []state.Operation{}, Files: []state.File{}, Commands: []state.Command{},
		Trials: []state.Trial{}, Predicted: []string{}, Revisions: []state.Revision{},
	}
}

// planState returns a plan as clients see it.
func (t *table) planState(h *entry) state.Plan {
	v := t.underway(h)
	p, r := v.Plan, v.Revision
	s := emptyState(p)
	s.Hash, s.Description, s.TextOnly, s.Report = r.Hash, r.Description, r.TextOnly, r.Report
	s.Predicted, s.Earlier = append(s.Predicted, r.Predicted...), v.EarlierPaths()
	s.Refused, s.Unfinished = r.Unfinished.Refused, r.Unfinished.Sentences()
	if _, err := p.State.Next(plan.Undo); err == nil {
		s.Undoable = p.Applied()
	}
	if d, ok := p.Drift(r); ok {
		s.Drift = &d
	}
	shown := decision.Shown(v)
	operations := shown.Operations(r)
	steps := shown.Steps(r, operations)
	for i, step := range r.Steps {
		s.Steps = append(s.Steps, state.Step{
			ID: step.ID, Description: step.Description, Status: string(steps[i]),
			Rationale: step.Rationale, Risk: step.Risk, DependsOn: append([]string{}, step.DependsOn...),
			Tool: step.Tool, When: step.When, Parallel: step.Parallel,
		})
	}
	fixed := h.fixedState()
	s.Operations, s.Files = make([]state.Operation, 0, len(r.Operations)), make([]state.File, 0, len(v.Files))
	for i := range r.Operations {
		o := &r.Operations[i]
		s.Operations = append(s.Operations, state.Operation{
			ID: o.ID, Step: o.Step, Tool: o.Tool, Path: o.Path, Paths: r.PathsOf(o), Status: operations[i],
			DependsOn: fixed.dependsOn[i], Note: fixed.notes[i],
		})
	}
	s.SuggestedOrder = fixed.suggested
	for _, f := range v.Files {
		s.Files = append(s.Files, fileStateOf(f))
	}
	s.Commands = t.rules.states(p, r)
	s.Trials = append(s.Trials, tried.Of(t.ws, v)...)
	s.Untried = p.WhyUntried()
	for _, rev := range p.Revisions {
		s.Revisions = append(s.Revisions, state.Revision{
			Revision: rev.Number, Parent: rev.Parent, Author: rev.Author, Hash: rev.Hash, Note: rev.Note,
			Created: rev.Created.UTC().Format(time.RFC3339),
		})
	}
	return s
}

func fileStateOf(f *view.File) state.File {
	s := state.File{
		Path: f.Change.Path, NewPath: f.Change.NewPath, URI: f.URI, Action: string(f.Change.Action),
		Status: string(f.Status), Reason: f.Reason, Syntax: f.Unparsed(), Hunks: []state.Hunk{}, Lines: f.Live,
	}
	for i := range f.Len() {
		h := f.Hunk(i)
		s.Added += h.Added
		s.Removed += h.Removed
		s.Hunks = append(s.Hunks, state.Hunk{
			ID: h.ID, Status: string(h.Status), Span: h.Span,
			Added: h.Added, Removed: h.Removed, Match: h.Match, Reason: h.Reason,
		})
	}
	return s
}

// fixedState has what clients see of the operations of a revision that never changes. It is
// immutable.
type fixedState struct {
	hash      string     // of the revision
	dependsOn [][]string // for each operation those that it must come right after
	suggested []string   // nil if it is the order that they are in
	notes     []string   // for each operation the model's reason, or else that of its step
}

// fixedState returns what never changes about the operations of the plan's revision.
func (h *entry) fixedState() *fixedState {
	r := h.Revision()
	if h.fixed != nil && h.fixed.hash == r.Hash {
		return h.fixed
	}
	d, n := r.Dependencies(), len(r.Operations)
	s := &fixedState{hash: r.Hash, dependsOn: make([][]string, n), suggested: d.Suggested(), notes: make([]string, n)}
	reasons := map[string]string{}
	for i := range r.Steps {
		reasons[r.Steps[i].ID] = r.Steps[i].Rationale
	}
	differs := false
	for i := range r.Operations {
		o := &r.Operations[i]
		s.dependsOn[i] = append([]string{}, d.Of(o.ID)...)
		s.notes[i] = cmp.Or(o.Note(), reasons[o.Step])
		differs = differs || s.suggested[i] != o.ID
	}
	if !differs {
		s.suggested = nil
	}
	h.fixed = s
	return s
}

package board

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/internal/phrase"
)

// PlanState describes one plan for clients.
func (b *Board) PlanState(ctx context.Context, n int) (state.Plan, error) {
	h, err := b.Find(ctx, n)
	if p := b.UnreadablePlan(n); err != nil && p != nil {
		return UnreadableState(p), nil
	}
	if err != nil {
		return state.Plan{}, err
	}
	recall(ctx, b, h)
	t, l := b.lockRead(h)
	defer t.unlock()
	t.placeClosed(l, t.of(h))
	return t.planState(t.of(h)), nil
}

// StateOf describes a plan of the session for clients. It reads no file.
func (b *Board) StateOf(h *Held) state.Plan {
	t := b.lock()
	defer t.unlock()
	return t.planState(t.of(h))
}

// emptyState describes a plan, without its revision, for clients.
func emptyState(p *plan.Plan) state.Plan {
	return state.Plan{
		Plan: p.Number, ID: p.ID, Goal: p.Goal, By: p.By(), State: string(p.State), Conversation: p.Conversation, Revision: p.Current, Rating: p.Rating,
		ActiveStep: -1, Steps: []state.Step{}, Operations: []state.Operation{}, Files: []state.File{}, Commands: []state.Command{},
		Trials: []state.Trial{}, Predicted: []string{}, Revisions: []state.Revision{},
	}
}

// planState describes a plan for clients.
func (t *table) planState(h *entry) state.Plan {
	v := t.underway(h)
	p, r := v.Plan, v.Revision
	s := emptyState(p)
	s.Hash, s.Description, s.TextOnly, s.Report = r.Hash, r.Description, r.TextOnly, r.Report
	s.Predicted, s.Earlier = append(s.Predicted, r.Predicted...), v.EarlierPaths()
	s.PredictedFiles, s.Comments = r.PredictedFiles(), p.Progress.Comments
	s.Shared = p.Shared.AsSaid()
	s.Refused, s.NotCarried, s.Unfinished = r.Unfinished.Refused, r.Unfinished.NotCarried(), r.Unfinished.Sentences()
	if _, err := p.State.Next(plan.Undo); err == nil {
		s.Undoable = p.Applied()
	}
	if d, ok := p.Drift(r); ok {
		s.Drift = &d
	}
	shown := view.PlanAsShown(v)
	operations := shown.Operations(r)
	steps := shown.Steps(r, operations)
	for i, step := range r.Steps {
		s.Steps = append(s.Steps, state.Step{
			ID: step.ID, Description: step.Description, Status: string(steps[i]),
			Rationale: step.Rationale, Risk: step.Risk, DependsOn: append([]string{}, step.DependsOn...),
			Tool: step.Tool, When: step.When, Parallel: step.Parallel,
		})
	}
	s.ActiveStep = activeStep(p.State, steps)
	if at := p.Progress.ProceedAt; !at.IsZero() {
		s.ProceedAt = at.Format(time.RFC3339)
	}
	fixed := h.fixedState()
	s.Operations, s.Files = make([]state.Operation, 0, len(r.Operations)), make([]state.File, 0, len(v.Files))
	for i := range r.Operations {
		o := &r.Operations[i]
		s.Operations = append(s.Operations, state.Operation{
			ID: o.ID, Step: o.Step, Tool: o.Tool, Path: o.Path, Paths: r.PathsOf(o), Status: operations[i],
			DependsOn: fixed.dependsOn[i], Note: fixed.notes[i], Args: fixed.args[i], At: fixed.at[i],
		})
	}
	s.SuggestedOrder = fixed.suggested
	if p.State.Open() {
		for _, o := range p.TakenOut(r) {
			s.TakenOut = append(s.TakenOut, state.Operation{
				ID: o.ID, Step: o.Step, Tool: o.Tool, Path: o.Path, Status: "taken_out", Command: takenLine(&o), DependsOn: []string{}, Note: o.Note(), Args: argsOf(&o),
			})
		}
	}
	for _, f := range v.Files {
		s.Files = append(s.Files, fileStateOf(f))
	}
	s.Commands = t.rules.states(p, r)
	s.Trials = append(s.Trials, view.Trials(t.ws, v)...)
	if !slices.ContainsFunc(s.Trials, func(t state.Trial) bool { return t.Current }) { // one of an earlier revision may be of the same texts
		s.Untried = p.WhyUntried()
	}
	s.Problems = state.NewProblems(view.Problems(t.ws, v), t.ws.URI)
	for _, rev := range p.Revisions {
		s.Revisions = append(s.Revisions, state.Revision{
			Revision: rev.Number, Parent: rev.Parent, Author: rev.Author, Hash: rev.Hash, Content: rev.Content, Note: rev.Note,
			Created: rev.Created.UTC().Format(time.RFC3339),
		})
	}
	return s
}

// takenLine returns the line of a command that was taken out, "" for an edit.
func takenLine(o *plan.Operation) string {
	if !o.IsCommand() {
		return ""
	}
	return plan.CommandIn(o.Command, o.Folder())
}

func fileStateOf(f *view.File) state.File {
	s := state.File{
		Path: f.Change.Path, NewPath: f.Change.NewPath, URI: f.URI, Action: string(f.Change.Action), Mode: f.Change.ModeShown(),
		Status: string(f.Status), Reason: f.Reason, Syntax: f.Unparsed(), OtherNames: f.OtherNames(), Hunks: []state.Hunk{}, Lines: f.Live,
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

// fixedState has the part of a revision's operations that clients see and that never changes.
type fixedState struct {
	hash      string     // of the revision
	dependsOn [][]string // for each operation, the operations that it must directly follow
	suggested []string   // nil if it is the order of the operations
	notes     []string   // for each operation the model's reason, or else that of its step
	args      []map[string]any
	at        []string // when the first revision with the operation was made
}

// activeStep returns the index of the step that is under way or next, -1 if none is left.
func activeStep(s plan.State, statuses []plan.StepStatus) int {
	if !s.Open() {
		return -1
	}
	if i := slices.Index(statuses, plan.StepInProgress); i >= 0 {
		return i
	}
	return slices.IndexFunc(statuses, func(s plan.StepStatus) bool { return s == plan.StepPending || s == plan.StepFailed })
}

// maxArg is how many bytes of a text argument of a call clients see: the changes have the whole
// text.
const maxArg = 400

// argsOf returns the arguments of a call in the form that clients see.
func argsOf(o *plan.Operation) map[string]any {
	args := map[string]any{}
	if json.Unmarshal(o.Args, &args) != nil || args == nil {
		return map[string]any{}
	}
	for name, value := range args {
		args[name] = clipped(value)
	}
	return args
}

// clipped returns a value of JSON with its texts clipped.
func clipped(value any) any {
	switch v := value.(type) {
	case string:
		return phrase.ClipBytes(v, maxArg)
	case []any:
		for i := range v {
			v[i] = clipped(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = clipped(v[name])
		}
	}
	return value
}

// fixedState returns what never changes about the operations of the plan's revision.
func (h *entry) fixedState() *fixedState {
	r := h.Revision()
	if h.fixed != nil && h.fixed.hash == r.Hash {
		return h.fixed
	}
	d, n := r.Dependencies(), len(r.Operations)
	s := &fixedState{hash: r.Hash, dependsOn: make([][]string, n), suggested: d.Suggested(), notes: make([]string, n), args: make([]map[string]any, n), at: make([]string, n)}
	made := map[string]string{}
	for _, rev := range h.Plan().Revisions {
		for i := range rev.Operations {
			if id := rev.Operations[i].ID; made[id] == "" {
				made[id] = rev.Created.UTC().Format(time.RFC3339)
			}
		}
	}
	reasons := map[string]string{}
	for i := range r.Steps {
		reasons[r.Steps[i].ID] = r.Steps[i].Rationale
	}
	differs := false
	for i := range r.Operations {
		o := &r.Operations[i]
		s.dependsOn[i] = append([]string{}, d.Of(o.ID)...)
		s.notes[i] = cmp.Or(o.Note(), reasons[o.Step])
		s.args[i], s.at[i] = argsOf(o), made[o.ID]
		differs = differs || s.suggested[i] != o.ID
	}
	if !differs {
		s.suggested = nil
	}
	h.fixed = s
	return s
}

// DraftState returns, in the form that clients see, a plan that a turn is drafting. It has no
// number, no revision, and no hash, which an approval would have to name. The board does not
// hold it.
func (b *Board) DraftState(ctx context.Context, n NewRevision, turn string) (state.Plan, error) {
	n.Plan.Progress.Folders = namedFolders(b.ws.Folders())
	h, err := read(ctx, b.store, n.Plan, n.Texts)
	if err != nil {
		return state.Plan{}, err
	}
	t, l := b.lockRead(h)
	defer t.unlock()
	for _, f := range t.of(h).files {
		f.place(l, n.Plan)
	}
	s := t.planState(t.of(h))
	for i, f := range t.planView(t.of(h)).Files {
		for k := range s.Files[i].Hunks {
			s.Files[i].Hunks[k].NewText = new(f.Hunk(k).NewText)
		}
	}
	s.Turn, s.Revision, s.Hash, s.Revisions, s.Untried = turn, 0, "", []state.Revision{}, ""
	return s, nil
}

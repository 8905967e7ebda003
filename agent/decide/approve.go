package decide

import (
	"context"
	"slices"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
)

// Approve applies what the decision names. It returns once the text of every file is verified, or
// after [Options.AnswerWithin] with the state executing. A [*plan.Refusal] of the kind
// apply_failed says which files have their changes; any other means that nothing was changed.
func (ds *Decisions) Approve(ctx context.Context, d view.Request) (state.Result, error) {
	h, d, err := ds.Settled(ctx, d)
	switch {
	case err != nil:
		return state.Result{}, err
	case h.Revision().TextOnly:
		return ds.options.Words(ctx, h, d)
	}
	return ds.decide(ctx, h, d, ds.checkApproval)
}

// Settled returns the plan of an approval, and the approval bound to its current revision. It
// refuses a plan that cannot be approved now, and a plan whose preview the user has edited: what
// the preview says would not be applied. Every approval comes through here, so it also refuses one
// in a forbidden way.
func (ds *Decisions) Settled(ctx context.Context, d view.Request) (*board.Held, view.Request, error) {
	if err := ds.options.Forbidden.Check(d.Plan, d.Way); err != nil {
		return nil, d, err
	}
	h, err := ds.find(ctx, d.Plan)
	if err != nil {
		return nil, d, err
	}
	err = ds.locked(h, func(tx *board.Tx) error {
		err := tx.Ready(plan.Execute, d)
		d.Hash = h.Revision().Hash
		return err
	})
	if err == nil {
		err = ds.settlePreview(ctx, h)
	}
	return h, d, err
}

// checkApproval checks an approval and plans its changes.
func (ds *Decisions) checkApproval(tx *board.Tx, d view.Request) (*checked, error) {
	v, l, err := tx.Look(plan.Execute, d)
	if err != nil {
		return nil, err
	}
	s, err := view.ScopeOf(v, d, plan.HunkPending)
	if err != nil {
		return nil, err
	}
	open, made := view.WithoutMade(s.Parts)
	fits, stale, why := view.Fitting(open)
	all := slices.Concat(fits, made)
	if len(stale) > 0 && !d.SkipStale {
		return nil, view.StaleRefusal(v.Plan.Number, stale, why, len(all) > 0)
	}
	commands, err := ds.executors.Approves(v, d, s, all)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 && commands.None() {
		return nil, nothingToApprove(v, d, s, stale, why)
	}
	x := &checked{
		Intent: board.Intent{Verdict: plan.VerdictApprove, Parts: fits, Made: made},
		held:   tx.Held, commands: commands, next: v.Plan.Clone(),
	}
	for _, p := range x.Parts {
		x.changes = append(x.changes, forward(p))
	}
	commands.Mark(x.next)
	switch {
	case x.edits():
		x.events = []plan.Event{plan.Execute}
	case x.next.State == plan.AwaitingApproval: // only the commands; each is an execution of its own
		x.events = []plan.Event{plan.UserReviewing}
	}
	if err := apply(x.next, x.events...); err != nil {
		return nil, err
	}
	view.NoteMade(v, l, x.next)
	for _, p := range x.Parts {
		for _, id := range p.IDs() {
			x.next.Progress.MarkHunk(id, plan.HunkApproved, "")
		}
	}
	x.record = view.RecordDecision(v.Plan, v.Revision, d, plan.VerdictApprove, all, ds.now())
	x.record.Stale, x.record.Commands, x.record.Trials = stale, commands.ByDecision(), view.CurrentTrials(ds.ws, v)
	return x, nil
}

// nothingToApprove returns the refusal of an approval that leaves no part and no command. stale
// lists the ids of hunks that no longer fit the text; why says what is wrong with the first of
// them.
func nothingToApprove(v *view.Plan, d view.Request, s view.Scope, stale []string, why string) error {
	left := v.Plan.Runnable(v.Revision)
	switch {
	case len(stale) > 0:
		return view.StaleRefusal(v.Plan.Number, stale, why, false)
	case s.Whole && len(left) > 0 && !d.AllowCommands:
		return plan.Refuse(plan.NotAllowed, "All that is left of plan %d to approve is %s: approve it by itself, or allow commands.", v.Plan.Number, phrase.Named("command", left))
	}
	return nothingLeft(v)
}

// nothingLeft returns the refusal of a decision that names nothing undecided.
func nothingLeft(v *view.Plan) error {
	for _, f := range v.Files {
		if v.Mark(f).Status == plan.FileUnverified {
			return plan.Refuse(plan.Busy, "Redline cannot see whether %s was changed: open or save it in your editor, then decide again.", f.Change.Path)
		}
	}
	return plan.Refuse(plan.WrongState, "Everything that you named in plan %d is already decided.", v.Plan.Number)
}

// forward returns the change that applies a part of a plan to the file's current text. The part
// must fit the text.
func forward(p view.Part) edits.Change {
	f := p.File
	c := edits.Change{Path: f.Path, Base: f.Live.Text()}
	switch f.Change.Action {
	case plan.Create:
		return edits.Change{Path: c.Path, Kind: edits.Create, Text: f.Proposed, Mode: f.Change.ModeAfter(), BOM: f.Change.BOM}
	case plan.Delete:
		c.Kind = edits.Delete
		return c
	}
	if p.Move {
		c.Kind, c.NewPath = edits.Rename, f.Change.NewPath
	}
	for _, i := range p.Hunks {
		span, _ := f.Placement.At(i)
		hunk := f.Change.Hunks[i]
		c.Edits = append(c.Edits, edits.Edit{Span: span, New: f.Proposed[hunk.New.Start:hunk.New.End]})
	}
	return c
}

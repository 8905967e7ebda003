package agent

import (
	"context"
	"slices"

	"redline/agent/event"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/state"
	"redline/edits"
	"redline/internal/phrase"
)

// Approve carries out what the decision names. It returns once the text of
// every file was verified, or after five seconds with the state executing.
// A [*refusal.Error] of the kind apply_failed says what of it is where; any other
// means that nothing was changed.
func (ds *Decisions) Approve(ctx context.Context, d Decide) (state.Result, error) {
	d, err := ds.settled(ctx, d)
	if err != nil {
		return state.Result{}, err
	}
	if h, err := ds.board.find(ctx, d.Plan); err != nil {
		return state.Result{}, err
	} else if h.revision().TextOnly {
		return ds.words(ctx, h, d)
	}
	return ds.decide(ctx, d, ds.prepareApproval)
}

// settled refuses an approval of a plan whose preview says something else. It
// returns the decision bound to the revision that the preview is of. A plan of
// which there is nothing to approve is refused for that.
func (ds *Decisions) settled(ctx context.Context, d Decide) (Decide, error) {
	h, err := ds.board.find(ctx, d.Plan)
	if err == nil {
		err = ds.board.look(ctx, h)
	}
	if err != nil {
		return d, err
	}
	ds.board.mu.Lock()
	if err = h.ready(plan.Execute); err == nil {
		err = h.bind(d)
	}
	d.Hash = h.revision().Hash
	ds.board.mu.Unlock()
	if err != nil {
		return d, err
	}
	return d, ds.settlePreview(ctx, h)
}

// decide checks a decision that an editor carries out, stores it, and has it
// carried out.
func (ds *Decisions) decide(ctx context.Context, d Decide, prepare func(*ahead, *heldPlan, Decide) (*execution, *plan.Decision, error)) (state.Result, error) {
	h, err := ds.board.find(ctx, d.Plan)
	if err != nil {
		return state.Result{}, err
	}
	if err := ds.board.look(ctx, h); err != nil {
		return state.Result{}, err
	}
	unlock := ds.board.lock(h)
	l := ds.board.lockReadAll(h)
	x, decision, err := prepare(l, h, d)
	ds.board.mu.Unlock()
	if err == nil {
		err = h.textsAsShown(x)
	}
	if err == nil {
		err = ds.busyElsewhere(h, x)
	}
	if err == nil {
		err = ds.unseen(h, x, d)
	}
	switch {
	case err != nil:
	case len(x.parts)+len(x.made) == 0:
		err = ds.running.approveCommands(ctx, h, x, decision)
	default:
		err = ds.begin(ctx, h, x, decision)
	}
	unlock()
	if err != nil {
		return state.Result{}, err
	}
	if x.left != "" {
		ds.notify(event.Event{Kind: event.Noticed, Conversation: x.next.Conversation, PlanNumber: x.next.Number, Text: x.left})
	}
	turn := ""
	if len(x.commands) > 0 {
		turn = ds.running.launch(h, x)
		defer ds.board.announce(h, "")
	}
	if len(x.parts)+len(x.made) == 0 {
		ds.board.renewPreview(h)
		ds.board.mu.Lock()
		defer ds.board.mu.Unlock()
		r := ds.board.resultOf(h, x)
		r.Turn = turn
		return r, nil
	}
	r, err := ds.carryOut(ctx, h, x)
	r.Turn = turn
	return r, err
}

// prepareApproval checks an approval. The caller has locked the plan and holds Board.mu.
func (ds *Decisions) prepareApproval(l *ahead, h *heldPlan, d Decide) (*execution, *plan.Decision, error) {
	if err := h.ready(plan.Execute); err != nil {
		return nil, nil, err
	}
	if err := h.bind(d); err != nil {
		return nil, nil, err
	}
	ds.board.lookAgain(l, h)
	v := ds.board.planView(h)
	s, err := v.scope(d, undecided)
	if err != nil {
		return nil, nil, err
	}
	fits, stale, why := fitting(s)
	_, made := withoutMade(s)
	files := len(fits.parts)+len(made.parts) > 0
	if len(stale) > 0 && !d.SkipStale {
		return nil, nil, staleRefusal(h.plan().Number, stale, why, files)
	}
	commands, byRule, err := ds.running.commandsOf(v, d, s, slices.Concat(fits.parts, made.parts))
	switch left := h.plan().Runnable(h.revision()); {
	case err != nil:
		return nil, nil, err
	case files || len(commands) > 0:
	case len(stale) > 0:
		return nil, nil, staleRefusal(h.plan().Number, stale, why, false)
	case s.whole && len(left) > 0 && !d.AllowCommands:
		return nil, nil, refusal.New(refusal.NotAllowed, "All that is left of plan %d to approve is %s: approve it by itself, or allow commands.", h.plan().Number, phrase.Named("command", left))
	default:
		return nil, nil, h.nothingLeft()
	}
	x := &execution{verdict: plan.VerdictApprove, parts: fits.parts, made: made.parts, commands: commands, rules: byRule}
	if s.whole && d.AllowCommands {
		x.left = leftBehind(v, commands, slices.Concat(fits.parts, made.parts))
	}
	for _, p := range x.parts {
		x.changes = append(x.changes, forward(p))
	}
	x.next = h.plan().Clone()
	allowed(x.next, commands)
	switch {
	case len(x.parts)+len(x.made) > 0:
		x.events = []plan.Event{plan.Execute}
	case x.next.State == plan.AwaitingApproval: // the commands alone: each is an execution of its own
		x.events = []plan.Event{plan.UserReviewing}
	}
	for _, event := range x.events {
		if err := x.next.Apply(event); err != nil {
			return nil, nil, refusal.New(refusal.WrongState, "Plan %d: %s", h.plan().Number, err)
		}
	}
	ds.board.noteMade(l, h, x.next)
	for _, p := range x.parts {
		for _, i := range p.hunks {
			x.next.Progress.MarkHunk(p.file.Change.Hunks[i].ID, plan.HunkApproved, "")
		}
	}
	fits.parts = slices.Concat(fits.parts, made.parts)
	decision := ds.board.decision(h, d, plan.VerdictApprove, fits)
	decision.Stale = stale
	for _, id := range commands {
		if byRule[id] == "" { // else the rule's decision is recorded before it begins
			decision.Commands = append(decision.Commands, id)
		}
	}
	return x, decision, nil
}

// nothingLeft is the refusal of an approval that names nothing undecided.
func (h *heldPlan) nothingLeft() error {
	for _, f := range h.files {
		if h.mark(f).Status == plan.FileUnverified {
			return refusal.New(refusal.Busy, "Redline cannot see what became of %s: open or save it in your editor, then decide again.", f.change.Path)
		}
	}
	return refusal.New(refusal.WrongState, "Nothing that this names in plan %d is still undecided.", h.plan().Number)
}

// forward is the change that carries out one part of a plan, on the file's
// text as it is now. The part must fit it.
func forward(p part) edits.Change {
	f := p.file
	c := edits.Change{Path: f.Path, Base: f.Live.Text()}
	switch f.Change.Action {
	case plan.Create:
		return edits.Change{Path: c.Path, Kind: edits.Create, Text: f.Proposed, Mode: f.Change.Mode, BOM: f.Change.BOM}
	case plan.Delete:
		c.Kind = edits.Delete
		return c
	}
	if p.move {
		c.Kind, c.NewPath = edits.Rename, f.Change.NewPath
	}
	for _, i := range p.hunks {
		span, _ := f.placed.At(i)
		hunk := f.Change.Hunks[i]
		c.Edits = append(c.Edits, edits.Edit{Span: span, New: f.Proposed[hunk.New.Start:hunk.New.End]})
	}
	return c
}

package decide

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"redline/agent/board"
	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/state"
)

// Reject rejects what the decision names. No file changes. Rejecting the last undecided part
// ends the plan.
func (ds *Decisions) Reject(ctx context.Context, d decision.Request) (state.Plan, error) {
	h, err := ds.board.Find(ctx, d.Plan)
	if p := ds.board.UnreadablePlan(d.Plan); err != nil && p != nil {
		return ds.rejectUnreadable(ctx, p, d)
	}
	if err != nil {
		return state.Plan{}, err
	}
	if err := ds.reject(ctx, h, d); err != nil {
		return state.Plan{}, err
	}
	ds.board.RefreshPreview(h)
	ds.board.Announce(h, "")
	return ds.board.StateOf(h), nil
}

// reject checks and stores a rejection.
func (ds *Decisions) reject(ctx context.Context, h *board.Held, d decision.Request) error {
	tx := ds.board.Lock(h)
	defer tx.Unlock()
	next, events, s, err := rejected(tx, d)
	if err != nil {
		return err
	}
	next.Updated = ds.now().UTC()
	return tx.Save(ctx, next, decision.Record(h.Plan(), h.Revision(), d, plan.VerdictReject, s.Parts, ds.now()), events...)
}

// rejected returns the plan after a rejection, the events that led to it, and the scope that was
// rejected. What the user has made by hand is in the text: it is recorded as applied.
func rejected(tx *board.Tx, d decision.Request) (next *plan.Plan, events []plan.Event, s decision.Scope, err error) {
	if err := tx.Ready(plan.Reject); err != nil {
		return nil, nil, s, err
	}
	if err := d.Binds(tx.Held.Now()); err != nil {
		return nil, nil, s, err
	}
	v, l := tx.Look()
	if s, err = decision.Of(v, d, decision.Undecided); err != nil {
		return nil, nil, s, err
	}
	if status := v.Plan.Progress.Command(d.Operation).Status; len(s.Commands) == 1 && !s.Whole &&
		(status == plan.CommandSucceeded || status == plan.CommandRejected) {
		return nil, nil, s, refusal.New(refusal.WrongState, "Command %s of plan %d is %s already.", d.Operation, v.Plan.Number, status)
	}
	named := s
	s, made := decision.WithoutMade(s)
	switch {
	case len(named.Parts)+len(named.Commands) == 0 && !(s.Whole && v.Plan.Undecided(v.Revision).None()):
		return nil, nil, s, nothingLeft(v)
	case len(named.Parts)+len(named.Commands) == 0: // nothing is staged any more: it ends the plan
	case len(s.Parts)+len(s.Commands) == 0:
		return nil, nil, s, refusal.New(refusal.WrongState, "What this names in plan %d is in the text of %s already: undo it there if you do not want it.", v.Plan.Number, made.Parts[0].File.Change.Path)
	}
	next = v.Plan.Clone()
	decision.NoteMade(v, l, next)
	for _, p := range s.Parts {
		p.Mark(next, plan.HunkRejected, d.Reason)
		if !decision.MayHaveAny(next, p.File.Change) { // and so nothing of it is to be saved
			next.Progress.MarkUnsaved(v.Revision.Number, p.File.Change.Path, false)
		}
	}
	for _, id := range s.Commands {
		next.Progress.MarkCommand(id, plan.CommandMark{Status: plan.CommandRejected, Reason: d.Reason})
	}
	next.SkipUnmet(v.Revision)
	event, ok := next.AfterReject(v.Revision)
	if tx.Staging() && event != plan.UserReviewing { // the turn may add more
		event, ok = plan.UserReviewing, next.State == plan.AwaitingApproval
	}
	if ok {
		if err := next.Apply(event); err != nil {
			return nil, nil, s, refusal.New(refusal.WrongState, "Plan %d: %s", v.Plan.Number, err)
		}
		events = append(events, event)
	}
	return next, events, s, nil
}

// rejectUnreadable stores the rejection of a plan that cannot be read.
func (ds *Decisions) rejectUnreadable(ctx context.Context, p *plan.Plan, d decision.Request) (state.Plan, error) {
	switch {
	case len(d.Paths)+len(d.Hunks) > 0 || d.Operation != "":
		return state.Plan{}, refusal.New(refusal.WrongState, "Plan %d cannot be read (%s): only the whole of it can be rejected.", p.Number, p.Unreadable)
	case !p.State.Open():
		return state.Plan{}, refusal.New(refusal.WrongState, "Plan %d cannot be read (%s), and is %s already.", p.Number, p.Unreadable, p.State)
	}
	reason := strings.TrimPrefix(fmt.Sprintf("%s; it could not be read", d.Reason), "; ")
	done, err := ds.board.Discard(ctx, p, &plan.Decision{
		Plan: p.Number, Revision: p.Current, Verdict: plan.VerdictReject, Reason: reason,
		Who: cmp.Or(d.Who, "user"), Client: d.Client, At: ds.now().UTC(),
	})
	if err != nil {
		return state.Plan{}, err
	}
	return board.UnreadableState(done), nil
}

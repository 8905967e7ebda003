package decide

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
)

// Reject rejects what the decision names. It changes no file. Rejecting the last undecided part
// ends the plan.
func (ds *Decisions) Reject(ctx context.Context, d view.Request) (state.Plan, error) {
	h, err := ds.board.Find(ctx, d.Plan)
	if p := ds.board.UnreadablePlan(d.Plan); err != nil && p != nil {
		return ds.rejectUnreadable(ctx, p, d)
	}
	if err == nil {
		err = ds.locked(h, func(tx *board.Tx) error { return ds.reject(ctx, tx, d) })
	}
	if err == nil {
		ds.board.RefreshPreview(h)
	}
	return ds.announced(h, err)
}

// reject checks and stores a rejection. It records changes that the user has made by hand as
// applied, since they are in the text.
func (ds *Decisions) reject(ctx context.Context, tx *board.Tx, d view.Request) error {
	v, l, err := tx.Look(plan.Reject, d)
	if err != nil {
		return err
	}
	named, err := view.ScopeOf(v, d, plan.HunkPending)
	if err != nil {
		return err
	}
	if status := v.Plan.Progress.Command(d.Operation).Status; len(named.Commands) == 1 && !named.Whole &&
		(status == plan.CommandSucceeded || status == plan.CommandRejected) {
		return plan.Refuse(plan.WrongState, "Command %s of plan %d is %s already.", d.Operation, v.Plan.Number, status)
	}
	open, made := view.WithoutMade(named.Parts)
	switch {
	case len(named.Parts)+len(named.Commands) == 0 && !(named.Whole && v.Plan.Undecided(v.Revision).None()):
		return nothingLeft(v)
	case len(named.Parts)+len(named.Commands) == 0: // nothing is left: the rejection ends the plan
	case len(open)+len(named.Commands) == 0:
		return plan.Refuse(plan.WrongState, "What this names in plan %d is in the text of %s already: undo it there if you do not want it.", v.Plan.Number, made[0].File.Change.Path)
	}
	next := v.Plan.Clone()
	view.NoteMade(v, l, next)
	for _, p := range open {
		p.Mark(next, plan.HunkRejected, d.Reason)
		if !view.MayHaveAny(next, p.File.Change) { // so nothing of it has to be saved
			next.Progress.MarkUnsaved(v.Revision.Number, p.File.Change.Path, false)
		}
	}
	for _, id := range named.Commands {
		next.Progress.MarkCommand(id, plan.CommandMark{Status: plan.CommandRejected, Reason: d.Reason})
	}
	next.SkipUnmet(v.Revision)
	event, ok := next.AfterReject(v.Revision)
	if tx.Staging() && event != plan.UserReviewing { // the turn may add more operations
		event, ok = plan.UserReviewing, next.State == plan.AwaitingApproval
	}
	var events []plan.Event
	if ok {
		events = append(events, event)
	}
	if err := apply(next, events...); err != nil {
		return err
	}
	next.Updated = ds.now().UTC()
	record := view.RecordDecision(v.Plan, v.Revision, d, plan.VerdictReject, open, ds.now())
	if !next.State.Open() { // no later record would name them
		record.Trials = next.TrialIDs()
	}
	return tx.Save(ctx, next, record, events...)
}

// rejectUnreadable stores the rejection of a plan that cannot be read.
func (ds *Decisions) rejectUnreadable(ctx context.Context, p *plan.Plan, d view.Request) (state.Plan, error) {
	switch {
	case len(d.Paths)+len(d.Hunks) > 0 || d.Operation != "":
		return state.Plan{}, plan.Refuse(plan.WrongState, "Plan %d cannot be read (%s): only the whole of it can be rejected.", p.Number, p.Unreadable)
	case !p.State.Open():
		return state.Plan{}, plan.Refuse(plan.WrongState, "Plan %d cannot be read (%s), and is %s already.", p.Number, p.Unreadable, p.State)
	}
	reason := strings.TrimPrefix(fmt.Sprintf("%s; it could not be read", d.Reason), "; ")
	done, err := ds.board.Discard(ctx, p, &plan.Decision{
		Plan: p.Number, Revision: p.Current, Verdict: plan.VerdictReject, Reason: reason,
		Who: cmp.Or(d.Who, "user"), Client: d.Client, At: ds.now().UTC(), Trials: p.TrialIDs(),
	})
	if err != nil {
		return state.Plan{}, err
	}
	return board.UnreadableState(done), nil
}

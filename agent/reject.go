package agent

import (
	"context"

	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/state"
	"redline/edits"
)

// Reject strikes out what the decision names; nothing in the workspace
// changes. Rejecting the last undecided part ends the plan.
func (ds *Decisions) Reject(ctx context.Context, d Decide, enc edits.Encoding) (state.Plan, error) {
	h, err := ds.board.find(ctx, d.Plan)
	if p := ds.board.unreadablePlan(d.Plan); err != nil && p != nil {
		return ds.rejectUnreadable(ctx, p, d)
	}
	if err != nil {
		return state.Plan{}, err
	}
	if err := ds.reject(ctx, h, d); err != nil {
		return state.Plan{}, err
	}
	ds.board.renewPreview(h)
	ds.board.announce(h, "")
	return ds.board.StateOf(h, enc), nil
}

// reject checks and stores a rejection.
func (ds *Decisions) reject(ctx context.Context, h *heldPlan, d Decide) error {
	defer ds.board.lock(h)()
	l := ds.board.lockRead(h)
	next, events, s, err := ds.rejected(l, h, d)
	ds.board.mu.Unlock()
	if err != nil {
		return err
	}
	next.Updated = ds.now().UTC()
	if err := ds.store.Save(ctx, ds.workspaceKey(), next, ds.board.decision(h, d, plan.VerdictReject, s)); err != nil {
		return ds.board.kept(next.Number, err)
	}
	ds.board.swap(h, next, events...)
	return nil
}

// rejected is the plan after a rejection, the events that it went over, and
// what was rejected.
// What the user has made by hand is in the text: it is recorded as applied.
func (ds *Decisions) rejected(l *ahead, h *heldPlan, d Decide) (next *plan.Plan, events []plan.Event, s scope, err error) {
	if err := h.ready(plan.Reject); err != nil {
		return nil, nil, s, err
	}
	if err := h.bind(d); err != nil {
		return nil, nil, s, err
	}
	ds.board.lookAgain(l, h)
	if s, err = ds.board.planView(h).scope(d, undecided); err != nil {
		return nil, nil, s, err
	}
	if status := h.plan().Progress.Command(d.Operation).Status; len(s.commands) == 1 && !s.whole &&
		(status == plan.CommandSucceeded || status == plan.CommandRejected) {
		return nil, nil, s, refusal.New(refusal.WrongState, "Command %s of plan %d is %s already.", d.Operation, h.plan().Number, status)
	}
	named := s
	s, made := withoutMade(s)
	switch {
	case len(named.parts)+len(named.commands) == 0 && !(s.whole && h.plan().Undecided(h.revision()).None()):
		return nil, nil, s, h.nothingLeft()
	case len(named.parts)+len(named.commands) == 0: // nothing is staged any more: it ends the plan
	case len(s.parts)+len(s.commands) == 0:
		return nil, nil, s, refusal.New(refusal.WrongState, "What this names in plan %d is in the text of %s already: undo it there if you do not want it.", h.plan().Number, made.parts[0].file.Change.Path)
	}
	next = h.plan().Clone()
	ds.board.noteMade(l, h, next)
	for _, p := range s.parts {
		for _, i := range p.hunks {
			next.Progress.MarkHunk(p.file.Change.Hunks[i].ID, plan.HunkRejected, d.Reason)
		}
		p.close(next, h.revision(), plan.FileRejected)
		if p.move {
			next.Progress.MarkFile(h.revision().Number, p.file.Change.Path, plan.FileRejected, d.Reason)
		}
		if !mayHaveAny(next, p.file.Change) { // and so nothing of it is to be saved
			next.Progress.MarkUnsaved(h.revision().Number, p.file.Change.Path, false)
		}
	}
	for _, id := range s.commands {
		next.Progress.MarkCommand(id, plan.CommandMark{Status: plan.CommandRejected, Reason: d.Reason})
	}
	next.SkipUnmet(h.revision())
	event, ok := next.AfterReject(h.revision())
	if h.staging && event != plan.UserReviewing { // the turn may add more
		event, ok = plan.UserReviewing, next.State == plan.AwaitingApproval
	}
	if ok {
		if err := next.Apply(event); err != nil {
			return nil, nil, s, refusal.New(refusal.WrongState, "Plan %d: %s", h.plan().Number, err)
		}
		events = append(events, event)
	}
	return next, events, s, nil
}

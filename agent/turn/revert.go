package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"redline/agent/decide"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/agent/view"
	"redline/internal/phrase"
)

// reverting returns the tool that stages the undoing of applied changes of a plan. It returns no
// tool unless the conversation, or the session, has a plan with applied changes.
func (w *work) reverting() tool.Tool {
	t := tool.Revert(w.reversals)
	t.Unoffered = !w.Board.AnyApplied() && !w.appliedBefore()
	return t
}

// reversals implements [tool.Reversing].
func (w *work) reversals(ctx context.Context, n int, path, hunk string) (back []tool.Reversal, stays []string, err error) {
	d := view.Request{Plan: n}
	switch {
	case hunk != "":
		d.Hunks = []string{hunk}
	case path != "":
		d.Paths = []string{path}
	}
	found, stays, err := w.Decisions.Reversals(ctx, d)
	if err != nil {
		return nil, nil, w.notReversed(ctx, n, err)
	}
	for _, r := range found {
		if hunk != "" && path != "" && !concerns(r, path) {
			return nil, nil, fmt.Errorf("hunk %s of plan %d is in %s, not in %s; leave the path out", hunk, n, r.Change.Path, path)
		}
		back = append(back, tool.Reversal(r))
	}
	return back, stays, nil
}

// concerns reports whether a reversal changes the file at path.
func concerns(r decide.Reversal, path string) bool {
	return r.Change.Path == path || r.Change.NewPath == path
}

// notReversed explains to a model why nothing of a plan can be undone, and what to do.
func (w *work) notReversed(ctx context.Context, n int, err error) error {
	refused, ok := errors.AsType[*plan.Refusal](err)
	if !ok {
		return err
	}
	if refused.Kind == plan.NoSuchPlan {
		return fmt.Errorf("there is no plan %d in this workspace; ask the user which one is meant", n)
	}
	p, perr := w.Board.Find(ctx, n)
	if refused.Kind == plan.WrongState && perr == nil && !p.Plan().Applied() {
		what := "it was not approved, so there is nothing to take back"
		if p.Plan().State.Open() {
			what = "it waits for the user, who can reject it; unstage takes operations out of a plan that is reworked"
		}
		return fmt.Errorf("nothing of plan %d is applied: %s", n, what)
	}
	return errors.New(phrase.TrimStop(refused.Reason))
}

// appliedBefore reports whether a plan of the conversation has applied changes, including plans
// that the session does not hold but the request's report mentions.
func (w *work) appliedBefore() bool {
	kept, ok := w.reports.Load(w.turn.Conversation.ID)
	return ok && slices.ContainsFunc(kept.(madeReport).plans, (*plan.Plan).Applied)
}

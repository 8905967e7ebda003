package agent

import (
	"context"
	"time"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/view"
)

// Snapshot is [board.Board.Snapshot].
func (a *Agent) Snapshot() *view.Snapshot { return a.board.Snapshot() }

// Workspace is [session.Session.Key].
func (a *Agent) Workspace() string { return a.session.Key() }

// PlanState is [board.Board.PlanState].
func (a *Agent) PlanState(ctx context.Context, n int) (state.Plan, error) {
	return a.board.PlanState(ctx, n)
}

// OpenPlan is [board.Board.OpenPlan].
func (a *Agent) OpenPlan(ctx context.Context, n int) (string, error) { return a.board.OpenPlan(ctx, n) }

// Diff returns the unified diff of a plan's current revision, see [view.Plan.Diff].
func (a *Agent) Diff(ctx context.Context, n int) (string, error) {
	h, err := a.board.Find(ctx, n)
	if err != nil {
		return "", err
	}
	return a.board.View(h).Diff(), nil
}

// Shown is [session.Session.Shown].
func (a *Agent) Shown(n, revision int, hash, client string) {
	a.session.Shown(n, revision, hash, client)
}

// OnDisk is [board.Board.OnDisk] and [trial.Trials.OnDisk].
func (a *Agent) OnDisk(paths []string) {
	a.board.OnDisk(paths)
	a.trials.OnDisk(paths)
}

// Answered is [board.Board.Answered].
func (a *Agent) Answered(path string) { a.board.Answered(path) }

// Watch is [board.Board.Watch].
func (a *Agent) Watch(ctx context.Context, every time.Duration) { a.board.Watch(ctx, every) }

// Recover is [board.Board.Recover].
func (a *Agent) Recover(ctx context.Context) error {
	a.GatherFacts() // beside it
	return a.board.Recover(ctx)
}

// CatchUp is [board.Board.CatchUp].
func (a *Agent) CatchUp(ctx context.Context) error { return a.board.CatchUp(ctx) }

// Leave is [board.Board.Leave].
func (a *Agent) Leave(ctx context.Context) error { return a.board.Leave(ctx) }

// Compare returns what revision to of a plan proposes that revision from does not, see
// [plan.Compare].
func (a *Agent) Compare(ctx context.Context, n, from, to int) (plan.Comparison, error) {
	h, err := a.board.Find(ctx, n)
	if err != nil {
		return plan.Comparison{Plan: n, From: from, To: to}, err
	}
	return plan.Compare(h.Plan(), from, to, a.session.Store.Texts(ctx))
}

// Sides returns a file as two revisions of a plan leave it, see [plan.Sides].
func (a *Agent) Sides(ctx context.Context, n, from, to int, path string) (was, is plan.Side, err error) {
	h, err := a.board.Find(ctx, n)
	if err != nil {
		return was, is, err
	}
	return plan.Sides(h.Plan(), from, to, path, a.session.Store.Texts(ctx))
}

// InRevision returns a file as a revision of a plan leaves it, see [plan.SideIn].
func (a *Agent) InRevision(ctx context.Context, n, revision int, path string) (plan.Side, error) {
	h, err := a.board.Find(ctx, n)
	if err != nil {
		return plan.Side{}, err
	}
	return plan.SideIn(h.Plan(), revision, path, a.session.Store.Texts(ctx))
}

// State returns the plans and the turns of this session, newest last, and the model. Unless all
// is true, the plans are the open ones and the last 20. It leaves out the standing of trials,
// because finding that out builds a world, which only an editor needs (TrialStanding).
func (a *Agent) State(ctx context.Context, all bool) (state.State, error) {
	plans, err := a.board.PlanStates(ctx, all)
	if err != nil {
		return state.State{}, err
	}
	for i := range plans {
		a.trials.Told(&plans[i])
	}
	plans = append(plans, a.turns.Drafting(ctx)...)
	return state.State{Plans: plans, Turns: a.conversations.States(), Model: a.ModelState(), Trials: state.TrialsNone}, nil
}

// Stats returns statistics of the plans of the workspace, or if all is true of every workspace,
// that were made at or after since.
func (a *Agent) Stats(ctx context.Context, all bool, since time.Time) (store.Stats, error) {
	key := a.session.Key()
	if all {
		key = ""
	}
	var c store.StatsCounter
	err := a.session.Store.Histories(ctx, key, since, func(h plan.History) error {
		c.Add(h)
		return nil
	})
	if err != nil {
		return store.Stats{}, err
	}
	turns, taken, err := a.session.Store.Fallbacks(ctx, key, since)
	c.AddTurns(turns, taken)
	return c.Stats(), err
}

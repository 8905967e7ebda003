package agent

import (
	"context"
	"time"

	"redline/agent/board"
	"redline/agent/commands"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/trial"
)

// Diff returns the unified diff of a plan's current revision, see [view.Plan.Diff].
func (a *Agent) Diff(ctx context.Context, n int) (string, error) {
	h, err := a.Board.Find(ctx, n)
	if err != nil {
		return "", err
	}
	return a.Board.View(h).Diff(), nil
}

// OnDisk is [board.Board.OnDisk] and [trial.Trials.OnDisk].
func (a *Agent) OnDisk(paths []string) {
	a.Board.OnDisk(paths)
	a.Trials.OnDisk(paths)
}

// Recover is [board.Board.Recover].
func (a *Agent) Recover(ctx context.Context) error {
	a.GatherFacts() // beside it
	return a.Board.Recover(ctx)
}

// Compare returns what revision to of a plan proposes that revision from does not, see
// [plan.Compare].
func (a *Agent) Compare(ctx context.Context, n, from, to int) (plan.Comparison, error) {
	h, err := a.Board.Find(ctx, n)
	if err != nil {
		return plan.Comparison{Plan: n, From: from, To: to}, err
	}
	return plan.Compare(h.Plan(), from, to, a.Session.Store.Texts(ctx))
}

// Sides returns a file as two revisions of a plan leave it, see [plan.Sides].
func (a *Agent) Sides(ctx context.Context, n, from, to int, path string) (was, is plan.Side, err error) {
	h, err := a.Board.Find(ctx, n)
	if err != nil {
		return was, is, err
	}
	return plan.Sides(h.Plan(), from, to, path, a.Session.Store.Texts(ctx))
}

// InRevision returns a file as a revision of a plan leaves it, see [plan.SideIn].
func (a *Agent) InRevision(ctx context.Context, n, revision int, path string) (plan.Side, error) {
	h, err := a.Board.Find(ctx, n)
	if err != nil {
		return plan.Side{}, err
	}
	return plan.SideIn(h.Plan(), revision, path, a.Session.Store.Texts(ctx))
}

// State returns the plans and the turns of this session, newest last, and the model. Unless all
// is true, the plans are the open ones and the last 20. It leaves out the standing of trials,
// because finding that out builds a world, which only an editor needs (TrialStanding).
func (a *Agent) State(ctx context.Context, all bool) (state.State, error) {
	plans, err := a.Board.PlanStates(ctx, all)
	if err != nil {
		return state.State{}, err
	}
	for i := range plans {
		a.Trials.Told(&plans[i])
	}
	plans = append(plans, a.Turns.Drafting(ctx)...)
	return state.State{Plans: plans, Turns: a.Conversations.States(), Model: a.ModelState(), Trials: state.TrialsNone}, nil
}

// Stats returns statistics of the plans of the workspace, or if all is true of every workspace,
// that were made at or after since.
func (a *Agent) Stats(ctx context.Context, all bool, since time.Time) (store.Stats, error) {
	key := a.Session.Key()
	if all {
		key = ""
	}
	var c store.StatsCounter
	err := a.Session.Store.Histories(ctx, key, since, func(h plan.History) error {
		c.Add(h)
		return nil
	})
	if err != nil {
		return store.Stats{}, err
	}
	turns, taken, err := a.Session.Store.Fallbacks(ctx, key, since)
	c.AddTurns(turns, taken)
	return c.Stats(), err
}

// Cancel stops a queued or running turn, or gives up the question with which it waits. If id is
// "", it stops all of them. It returns the turns that it stopped.
func (a *Agent) Cancel(id string) []string {
	return a.Conversations.Cancel(func(t *conversation.Turn) bool { return id == "" || t.ID == id })
}

// ModelState returns the model in use.
func (a *Agent) ModelState() state.Model {
	info := a.Turns.Model.Info()
	return state.Model{Provider: info.Provider, Name: info.Name}
}

// compare implements [decide.Compare]: it tries a failed command on the files as they were
// before the plan's edits, if commands may be tried here.
func (a *Agent) compare(ctx context.Context, h *board.Held, o *plan.Operation, failed commands.Observation) plan.Class {
	if a.Trials.Allowed(ctx) != nil {
		return ""
	}
	for id, m := range h.Plan().Progress.Commands {
		if id != o.ID && (m.ExitCode != nil || m.Status == plan.CommandRunning) {
			return "" // what it has written is there without the plan's edits too
		}
	}
	before, now, ok := a.Decisions.Before(h)
	if !ok {
		return ""
	}
	c := trial.Command{Line: o.Command, Cwd: o.Folder(), Timeout: o.CommandArgs().Timeout}
	return a.Trials.WithoutPlan(ctx, c, failed, before, now, h.Plan().Goal)
}

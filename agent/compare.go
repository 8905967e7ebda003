package agent

import (
	"context"

	"redline/agent/board"
	"redline/agent/commands"
	"redline/agent/plan"
	"redline/agent/trial"
)

// compare implements [decide.Compare]: it tries a failed command on the files as they were
// before the plan's edits, if commands may be tried here.
func (a *Agent) compare(ctx context.Context, h *board.Held, o *plan.Operation, failed commands.Observation) plan.Class {
	if a.trials.Allowed(ctx) != nil {
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
	return a.trials.WithoutPlan(ctx, c, failed, before, now, h.Plan().Goal)
}

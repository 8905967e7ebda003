package board

import (
	"context"
	"slices"

	"redline/agent/plan"
)

// Why a command that ran, or waited, does not go on.
const (
	endedWhileItRan    = "Redline was ended while it ran; it is not known how it ended"
	endedWhileItWaited = "Redline was ended before it could run: approve it again"
)

// reconcileCommands settles the commands that a process left open when it exited: one that ran
// has failed, since nobody knows how it ended; one that waited is pending again. It runs none.
func (tx *Tx) reconcileCommands(ctx context.Context) (changed bool, err error) {
	b, h := tx.b, tx.Held
	open := h.openCommands()
	own := b.peek(h).execution != nil || b.hooks.RunsCommands(h.Plan().Number) || h.Plan().State == plan.Drafting
	if len(open) == 0 || own {
		return false, nil
	}
	id, alive, err := b.unfinished(ctx, h.Plan().Number)
	if err != nil || alive {
		return false, err
	}
	next := h.Plan().Clone()
	for _, operation := range open {
		if next.Progress.Command(operation).Status == plan.CommandRunning {
			next.Progress.MarkCommand(operation, plan.CommandMark{Status: plan.CommandFailed, Reason: endedWhileItRan})
		} else {
			next.Progress.MarkCommand(operation, plan.CommandMark{Status: plan.CommandPending, Reason: endedWhileItWaited})
		}
	}
	return true, tx.conclude(&Execution{id: id, intent: Intent{Verdict: plan.VerdictApprove}}, next)
}

// openCommands returns the commands of the plan that run or wait for a save.
func (h *Held) openCommands() []string {
	return slices.DeleteFunc(h.Plan().Runs(h.Revision()), func(id string) bool {
		status := h.Plan().Progress.Command(id).Status
		return status != plan.CommandRunning && status != plan.CommandWaitingForSave
	})
}

package agent

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

// reconcileCommands settles the commands of a plan that a process which has ended left open:
// one that ran has failed, since nobody knows how it ended; one that waited is pending again.
// It runs none. The caller has locked the plan.
func (b *Board) reconcileCommands(ctx context.Context, h *heldPlan) (changed bool, err error) {
	b.mu.Lock()
	open := h.openCommands()
	own := h.execution != nil || b.runsCommands(h.plan().Number) || h.plan().State == plan.Drafting
	b.mu.Unlock()
	if len(open) == 0 || own {
		return false, nil
	}
	id, alive, err := b.unfinished(ctx, h.plan().Number)
	if err != nil || alive {
		return false, err
	}
	next := h.plan().Clone()
	for _, operation := range open {
		if next.Progress.Command(operation).Status == plan.CommandRunning {
			next.Progress.MarkCommand(operation, plan.CommandMark{Status: plan.CommandFailed, Reason: endedWhileItRan})
		} else {
			next.Progress.MarkCommand(operation, plan.CommandMark{Status: plan.CommandPending, Reason: endedWhileItWaited})
		}
	}
	return true, b.conclude(h, &execution{id: id, verdict: plan.VerdictApprove}, next)
}

// openCommands are the commands of the plan that run or wait for a save.
func (h *heldPlan) openCommands() []string {
	return slices.DeleteFunc(h.plan().Runs(h.revision()), func(id string) bool {
		status := h.plan().Progress.Command(id).Status
		return status != plan.CommandRunning && status != plan.CommandWaitingForSave
	})
}

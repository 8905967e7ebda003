package agent

import (
	"context"

	"redline/agent/plan"
)

// catchOn finds out what became of a plan that another process was at work on and
// that has ended since: what its edits came to, what became of its commands, and, the
// first time in a session, of what was applied and never saved. A plan that a live
// process is at work on stays as it is. It edits nothing, and reports whether the plan
// has changed. What could not be recorded is logged, and looked at again the next
// time. The caller holds no lock.
func (a *Agent) catchOn(ctx context.Context, h *heldPlan) (changed bool) {
	a.mu.Lock()
	first := !h.looked
	h.looked = true
	open := h.execution == nil && unsettled(h.plan, h.revision)
	number := h.plan.Number
	before := h.plan
	a.mu.Unlock()
	warn := func(err error) {
		if err != nil && ctx.Err() == nil {
			a.log.Warn("what became of a plan could not be recorded", planField(number), errorField(err))
		}
	}
	if open {
		_, err := a.lookAt(ctx, h, nil, first)
		warn(err)
	}
	_, err := a.settleCommands(ctx, h)
	warn(err)
	if first {
		warn(a.recheckAll(ctx, h))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return h.plan != before
}

// mayBeOff reports whether the record of a plan may be out of date though nobody is at
// work on it: something was sent to an editor, or not saved.
func mayBeOff(p *plan.Plan) bool {
	if p.State == plan.Executing {
		return true
	}
	for _, m := range p.Progress.Files {
		if m.Sent != nil || m.Unsaved {
			return true
		}
	}
	for _, m := range p.Progress.Commands {
		if m.Status == plan.CommandRunning || m.Status == plan.CommandWaitingForSave {
			return true
		}
	}
	return false
}

// catchOnAll calls catchOn for the plans whose record may be out of date.
func (a *Agent) catchOnAll(ctx context.Context, plans []*heldPlan) {
	for _, h := range plans {
		a.mu.Lock()
		off := mayBeOff(h.plan)
		a.mu.Unlock()
		if off && a.catchOn(ctx, h) {
			a.announce(h, "")
		}
	}
}

// readToTell reads a plan that is not in the session, to show it. One whose record may
// be out of date joins the session. The caller holds no lock.
func (a *Agent) readToTell(ctx context.Context, p *plan.Plan) (*heldPlan, error) {
	if !mayBeOff(p) {
		return a.read(ctx, p)
	}
	a.deciding.Lock()
	defer a.deciding.Unlock()
	return a.hold(ctx, p)
}

package present

import (
	"fmt"
	"slices"

	"redline/agent/event"
	"redline/agent/plan"
	"redline/agent/state"
)

// showUnderway shows the execution of a plan as progress, by the table of effects. It does
// not show one that ends soon, since a message about its end follows anyway.
func (p *Presenter) showUnderway(e event.Event) {
	token := fmt.Sprintf("plan %d", e.PlanNumber)
	for _, effect := range e.Effects {
		switch effect {
		case plan.BeginProgress:
			if e.Plan != nil && runsCommand(*e.Plan) {
				continue // the turn that runs it is shown
			}
			p.Window.Progress.BeginLater(token, token+" is being carried out", p.Underway)
		case plan.EndProgress:
			p.Window.Progress.End(token, "done")
		}
	}
}

// runsCommand reports whether a command of the plan runs.
func runsCommand(p state.Plan) bool {
	return slices.ContainsFunc(p.Commands, func(c state.Command) bool { return c.Status == string(plan.CommandRunning) })
}

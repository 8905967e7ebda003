package board

import (
	"cmp"
	"slices"

	"redline/agent/plan"
)

// applyEffects carries out the effects of a change of state: the plan went from the state before to its
// present one, over the given events. It does at once what only concerns the session; what is
// written or shown waits for the next Announce, which holds no lock.
//
// Without events the state was changed elsewhere, or a part of the plan was decided on: then
// follow goes by the two states alone.
func (t *table) applyEffects(h *entry, before plan.State, events ...plan.Event) {
	effects, to := plan.EffectsOf(before, events...)
	switch {
	case to != h.Plan().State:
		effects = plan.EffectsBetween(before, h.Plan().State)
	case len(events) == 0:
		effects = plan.Within()
	}
	c := cmp.Or(t.threads[h.Plan().Conversation], new(thread)) // else nobody follows it
	for _, e := range effects {
		switch e {
		case plan.EndPlan:
			if c.plan == h.Number() {
				c.plan = 0
			}
		case plan.TakeUpPlan:
			c.plan = cmp.Or(c.plan, h.Number())
		case plan.TellModel:
			c.news++
		case plan.ClearStaging:
			t.clearStaging(h.Held)
		case plan.OpenPreview, plan.WritePreview:
			switch {
			case e == plan.OpenPreview && h.Revision().Author == plan.AuthorUser:
			case !h.staging:
				h.due = append(h.due, e)
			case !slices.Contains(h.later, e): // not each revision of a turn: the last
				h.later = append(h.later, e)
			}
		case plan.BeginProgress, plan.EndProgress:
			h.due = append(h.due, e)
		}
	}
}

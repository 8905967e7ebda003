package agent

import (
	"cmp"
	"slices"

	"redline/agent/plan"
)

// follow carries out what the table of effects calls for after a plan went
// from the state before to the one that it has, over the given events. What
// only concerns the session is done at once; what is written or shown waits
// for the next announce, which comes without a lock. The caller holds Board.mu.
//
// Without events the plan was moved elsewhere, or a part of it was decided on:
// then the two states are all that there is to go by.
func (b *Board) follow(h *heldPlan, before plan.State, events ...plan.Event) {
	effects, to := plan.EffectsOf(before, events...)
	switch {
	case to != h.plan().State:
		effects = plan.EffectsBetween(before, h.plan().State)
	case len(events) == 0:
		effects = plan.Within()
	}
	thread := b.threads[h.plan().Conversation]
	for _, e := range effects {
		switch e {
		case plan.EndPlan:
			if thread != nil && thread.plan == h.number {
				thread.plan = 0
			}
		case plan.TakeUpPlan:
			if thread != nil {
				thread.plan = cmp.Or(thread.plan, h.plan().Number)
			}
		case plan.TellModel:
			if thread != nil {
				thread.news++
			}
		case plan.ClearStaging:
			b.hooks.clearStaging(h)
		case plan.OpenPreview, plan.WritePreview:
			switch {
			case e == plan.OpenPreview && h.revision().Author == plan.AuthorUser:
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

// carry writes what is due of a plan, and returns what is left to be shown.
func (b *Board) carry(h *heldPlan) (show []plan.Effect) {
	b.mu.Lock()
	due := h.due
	h.due = nil
	b.mu.Unlock()
	for _, e := range due {
		if e == plan.WritePreview {
			b.writePreview(h)
		} else {
			show = append(show, e)
		}
	}
	return show
}

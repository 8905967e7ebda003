package board

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
func (t *table) follow(h *entry, before plan.State, events ...plan.Event) {
	effects, to := plan.EffectsOf(before, events...)
	switch {
	case to != h.Plan().State:
		effects = plan.EffectsBetween(before, h.Plan().State)
	case len(events) == 0:
		effects = plan.Within()
	}
	thread := t.threads[h.Plan().Conversation]
	for _, e := range effects {
		switch e {
		case plan.EndPlan:
			if thread != nil && thread.plan == h.Number() {
				thread.plan = 0
			}
		case plan.TakeUpPlan:
			if thread != nil {
				thread.plan = cmp.Or(thread.plan, h.Plan().Number)
			}
		case plan.TellModel:
			if thread != nil {
				thread.news++
			}
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

// carry writes what is due of a plan, and returns what is left to be shown.
func (b *Board) carry(h *Held) (show []plan.Effect) {
	t := b.lock()
	due := t.of(h).due
	t.of(h).due = nil
	t.unlock()
	for _, e := range due {
		if e == plan.WritePreview {
			b.WritePreview(h)
		} else {
			show = append(show, e)
		}
	}
	return show
}

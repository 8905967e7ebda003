package board

import (
	"cmp"
	"slices"

	"redline/agent/plan"
	"redline/agent/state"
)

// Announce sends the editor the state of a plan, and carries out its due effects.
func (b *Board) Announce(h *Held, turn string) {
	var due, show []plan.Effect
	var again bool
	b.with(h, func(_ *table, e *entry) {
		due, again = e.due, e.again
		e.due, e.again = nil, false
	})
	for _, e := range due {
		if e == plan.WritePreview {
			b.WritePreview(h)
		} else {
			show = append(show, e)
		}
	}
	b.announcing.Lock() // so that the newest state is announced last
	defer b.announcing.Unlock()
	var s state.Plan
	var outcome *state.Outcome
	b.with(h, func(t *table, e *entry) {
		s, outcome, e.outcome = t.planState(e), e.outcome, nil
	})
	b.session.Notify(state.Event{Kind: state.PlanChanged, Turn: turn, Conversation: s.Conversation, PlanNumber: s.Plan, Plan: &s, Effects: show, Again: again, Outcome: outcome})
}

// ShowAgain shows a plan once more, for the turn that asked for it.
func (b *Board) ShowAgain(h *Held, turn string) {
	b.refreshPreview(h, true)
	b.with(h, func(_ *table, e *entry) {
		e.again = true
		if !slices.Contains(e.due, plan.OpenPreview) {
			e.due = append(e.due, plan.OpenPreview)
		}
	})
	b.Announce(h, turn)
}

// applyEffects carries out the effects of a change of state: the given events led the plan from
// the state before to its current one. It carries out at once what concerns only the session;
// what is written or shown waits for the next Announce, which does not hold the table.
//
// If there are no events, the state was changed elsewhere, or a part of the plan was decided on:
// then only the two states determine the effects.
func (t *table) applyEffects(h *entry, before plan.State, events ...plan.Event) {
	effects, to := plan.EffectsOf(before, events...)
	switch {
	case to != h.Plan().State:
		effects = plan.EffectsBetween(before, h.Plan().State)
	case len(events) == 0:
		effects = plan.Within()
	}
	c := cmp.Or(t.threads[h.Plan().Conversation], new(thread)) // otherwise nobody follows it
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
			case !slices.Contains(h.later, e): // only the last revision of a turn, not each
				h.later = append(h.later, e)
			}
		case plan.BeginProgress, plan.EndProgress:
			h.due = append(h.due, e)
		}
	}
}

package board

import (
	"slices"

	"redline/agent/event"
	"redline/agent/plan"
	"redline/agent/state"
)

// Announce sends the editor the state of a plan, and shows what is due.
func (b *Board) Announce(h *Held, turn string) { b.announcePlan(h, turn, false) }

// announcePlan is Announce. With again it shows what was shown already once more.
func (b *Board) announcePlan(h *Held, turn string, again bool) {
	var due, show []plan.Effect
	b.with(h, func(_ *table, e *entry) { due, e.due = e.due, nil })
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
	b.session.Notify(event.Event{Kind: event.PlanChanged, Turn: turn, Conversation: s.Conversation, PlanNumber: s.Plan, Plan: &s, Effects: show, Again: again, Outcome: outcome})
}

// ShowAgain shows a plan once more, for the turn that asks for it.
func (b *Board) ShowAgain(h *Held, turn string) {
	b.refreshPreview(h, true)
	b.with(h, func(_ *table, e *entry) {
		if !slices.Contains(e.due, plan.OpenPreview) {
			e.due = append(e.due, plan.OpenPreview)
		}
	})
	b.announcePlan(h, turn, true)
}

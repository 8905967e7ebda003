package board

import (
	"slices"

	"redline/agent/event"
	"redline/agent/plan"
)

// Announce sends the editor the state of a plan, and shows what is due.
func (b *Board) Announce(h *Held, turn string) { b.announcePlan(h, turn, false) }

// announcePlan is Announce. With again it shows what was shown already once more.
func (b *Board) announcePlan(h *Held, turn string, again bool) {
	show := b.writeDue(h)
	b.announcing.Lock() // so that the newest state is announced last
	defer b.announcing.Unlock()
	t := b.lock()
	s := t.planState(t.of(h))
	outcome := t.of(h).outcome
	t.of(h).outcome = nil
	t.unlock()
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

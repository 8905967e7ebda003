package board

import (
	"cmp"
	"maps"
	"slices"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/phrase"
)

// Announce sends the observers and the editor the state of a plan, with its due effects.
func (b *Board) Announce(h *Held, turn string) { b.announce(h, turn, func(*table, *entry) {}) }

// announce does what Announce does, after do with the table locked.
func (b *Board) announce(h *Held, turn string, do func(*table, *entry)) {
	b.announcing.Lock() // so that the newest state is announced last
	defer b.announcing.Unlock()
	event := state.Event{Kind: state.PlanChanged, Turn: turn, PlanNumber: h.Number()}
	b.with(h, func(t *table, e *entry) {
		do(t, e)
		s := t.planState(e)
		event.Plan, event.Conversation, event.Outcome = &s, s.Conversation, e.outcome
		event.Effects, event.Again = e.due, e.again
		e.due, e.again, e.outcome = nil, false, nil
	})
	b.session.Notify(event)
}

// ShowAgain shows a plan once more, for the turn that asked for it.
func (b *Board) ShowAgain(h *Held, turn string) {
	b.announce(h, turn, func(_ *table, e *entry) {
		e.again = true
		if !slices.Contains(e.due, plan.OpenPreview) {
			e.due = append(e.due, plan.OpenPreview)
		}
	})
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
			case !h.staging.Load():
				h.due = append(h.due, e)
			case !slices.Contains(h.later, e): // only the last revision of a turn, not each
				h.later = append(h.later, e)
			}
		case plan.BeginProgress, plan.EndProgress:
			h.due = append(h.due, e)
		}
	}
}

// Threads know which plan each conversation is about.
type Threads struct{ *tableLock }

// thread is what the board knows about one conversation, besides its plans.
type thread struct {
	plan int // the plan that its next message changes, 0 for none
	news int // counts the changes to its plans that a model should be told about

	// The last request that changed a plan without naming it, in one line, with the plan and the
	// revision that it made.
	unnamed                      string
	unnamedPlan, unnamedRevision int
}

// thread returns the thread of a conversation. A new thread continues with the conversation's
// undecided plan.
func (t *table) thread(conversation string) *thread {
	c := t.threads[conversation]
	if c == nil {
		c = &thread{plan: t.undecided(conversation)}
		t.threads[conversation] = c
	}
	return c
}

// Add adds a conversation: from now on the board follows its plans.
func (c Threads) Add(conversation string) {
	t := c.lock()
	defer t.unlock()
	t.thread(conversation)
}

// Plan returns the plan that the next message of a conversation changes, nil for none.
func (c Threads) Plan(conversation string) *Held {
	t := c.lock()
	defer t.unlock()
	return t.held(t.thread(conversation).plan)
}

// TakeUp sets the plan that the next message of a conversation changes.
func (c Threads) TakeUp(conversation string, number int) {
	t := c.lock()
	defer t.unlock()
	t.thread(conversation).plan = number
}

// News returns a number that changes whenever a model should be told about a change to a
// conversation's plans.
func (c Threads) News(conversation string) int {
	t := c.lock()
	defer t.unlock()
	return t.thread(conversation).news
}

// NoteUnnamed records the request, "" for none, that made the newest revision of a plan without
// naming the plan.
func (c Threads) NoteUnnamed(conversation string, h *Held, request string) {
	t := c.lock()
	defer t.unlock()
	of := t.thread(conversation)
	if of.unnamed = phrase.FirstLine(request, 80); of.unnamed != "" {
		of.unnamedPlan, of.unnamedRevision = h.Number(), h.Revision().Number
	}
	t.changed(t.of(h))
}

// unnamedRequest returns, in one line, the request that /apart would move into a plan of its own,
// "" for none.
func (t *table) unnamedRequest(h *entry) string {
	c := t.threads[h.Plan().Conversation]
	if c == nil || c.unnamed == "" || c.unnamedPlan != h.Number() || c.unnamedRevision != h.Plan().Current {
		return ""
	}
	return c.unnamed
}

// Plans returns the plans that the session holds, by number: those of a conversation, or all if
// conversation is "".
func (b *Board) Plans(conversation string) (plans []*Held) {
	t := b.lock()
	defer t.unlock()
	for _, n := range slices.Sorted(maps.Keys(t.plans)) {
		if h := t.plans[n]; conversation == "" || h.Plan().Conversation == conversation {
			plans = append(plans, h.Held)
		}
	}
	return plans
}

// Waiting returns the numbers of the plans that wait for a decision.
func Waiting(plans []*Held) (numbers []int) {
	for _, h := range plans {
		if s := h.Plan().State; s == plan.AwaitingApproval || s == plan.Reviewing {
			numbers = append(numbers, h.Number())
		}
	}
	return numbers
}

// Undecided returns the newest open plan of a conversation, nil for none.
func (c Threads) Undecided(conversation string) *Held {
	t := c.lock()
	defer t.unlock()
	return t.held(t.undecided(conversation))
}

// undecided returns the number of the newest open plan of a conversation, 0 for none.
func (t *table) undecided(conversation string) int {
	n := 0
	for _, h := range t.plans {
		if h.Plan().Conversation == conversation && h.Plan().State.Open() {
			n = max(n, h.Plan().Number)
		}
	}
	return n
}

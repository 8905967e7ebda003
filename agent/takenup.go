package agent

import "redline/internal/phrase"

// takenUp is what the plans know of one conversation.
type takenUp struct {
	plan int // the plan that its next message changes, 0 for none
	news int // counts what has become of its plans

	// The last request that has changed a plan without naming it: the plan, the
	// revision that came of it, and the request in one line.
	unnamedPlan, unnamedRevision int
	unnamed                      string
}

// takeUp makes a conversation known, which goes on with the plan that it has not
// decided on. The caller holds Board.mu.
func (b *Board) takeUp(conversation string) *takenUp {
	c := b.threads[conversation]
	if c == nil {
		c = &takenUp{plan: b.undecidedPlanOf(conversation)}
		b.threads[conversation] = c
	}
	return c
}

// planOf returns the plan that the next message of a conversation changes, 0 for none.
// The caller holds Board.mu.
func (b *Board) planOf(conversation string) int { return b.takeUp(conversation).plan }

// noteUnnamed notes the request that has made the newest revision of a plan without
// naming it; "" for a revision that was not made so. The caller holds Board.mu.
func (b *Board) noteUnnamed(conversation string, h *heldPlan, request string) {
	c := b.takeUp(conversation)
	if c.unnamed = phrase.FirstLine(request, 80); c.unnamed != "" {
		c.unnamedPlan, c.unnamedRevision = h.plan().Number, h.revision().Number
	}
	b.changed(h)
}

// unnamedRequest returns the request that /apart would make a plan of its own of, in
// one line, "" for none. The caller holds Board.mu.
func (b *Board) unnamedRequest(h *heldPlan) string {
	c := b.threads[h.plan().Conversation]
	if c == nil || c.unnamed == "" || c.unnamedPlan != h.plan().Number || c.unnamedRevision != h.plan().Current {
		return ""
	}
	return c.unnamed
}

// newsOf returns a number that changes when something becomes of a conversation's plans.
func (b *Board) newsOf(conversation string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.takeUp(conversation).news
}

// known makes a conversation known to the plans, see takeUp.
func (b *Board) known(conversation string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.takeUp(conversation)
}

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
// decided on. The caller holds a.mu.
func (a *Agent) takeUp(conversation string) *takenUp {
	c := a.threads[conversation]
	if c == nil {
		c = &takenUp{plan: a.undecidedPlanOf(conversation)}
		a.threads[conversation] = c
	}
	return c
}

// planOf returns the plan that the next message of a conversation changes, 0 for none.
// The caller holds a.mu.
func (a *Agent) planOf(conversation string) int { return a.takeUp(conversation).plan }

// noteUnnamed notes the request that has made the newest revision of a plan without
// naming it; "" for a revision that was not made so. The caller holds a.mu.
func (a *Agent) noteUnnamed(conversation string, h *heldPlan, request string) {
	c := a.takeUp(conversation)
	if c.unnamed = phrase.FirstLine(request, 80); c.unnamed != "" {
		c.unnamedPlan, c.unnamedRevision = h.plan.Number, h.revision.Number
	}
	a.changed(h)
}

// unnamedRequest returns the request that /apart would make a plan of its own of, in
// one line, "" for none. The caller holds a.mu.
func (a *Agent) unnamedRequest(h *heldPlan) string {
	c := a.threads[h.plan.Conversation]
	if c == nil || c.unnamed == "" || c.unnamedPlan != h.plan.Number || c.unnamedRevision != h.plan.Current {
		return ""
	}
	return c.unnamed
}

// newsOf returns a number that changes when something becomes of a conversation's plans.
func (a *Agent) newsOf(conversation string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.takeUp(conversation).news
}

// setPlanOf has the next message of a conversation change a plan.
func (a *Agent) setPlanOf(conversation string, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.takeUp(conversation).plan = n
}

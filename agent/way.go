package agent

import "cmp"

// The ways to decide.
const (
	DecidePlan = "plan" // on the plan, when the turn has ended
	DecideAsk  = "ask"  // on each operation, as it is staged; the turn goes on meanwhile
)

// wayTo is how the plans of a conversation are decided on. The caller holds
// a.mu.
func (a *Agent) wayTo(conv *conversation) string {
	return cmp.Or(conv.decide, a.way, DecidePlan)
}

// validWay refuses a way to decide that there is not; "" leaves it open.
func validWay(way string) error {
	switch way {
	case "", DecidePlan, DecideAsk:
		return nil
	}
	return refuse(Invalid, "There is no way to decide %q: use plan (at the end of the turn) or ask (about each operation as it is staged).", way)
}

// decideWay says how the plans of a conversation are decided on, and changes it
// when a way is given. It is kept for as long as the session is.
func (a *Agent) decideWay(conv *conversation, way []string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(way) > 0 {
		conv.decide = way[0]
	}
	if a.wayTo(conv) == DecideAsk {
		return "In this conversation you are asked about each edit as it is staged, from the next message on."
	}
	return "In this conversation you decide on the plan when a turn has ended, from the next message on."
}

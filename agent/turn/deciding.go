package turn

import (
	"cmp"

	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/refusal"
)

// decidesStepwise reports whether the user is asked about each operation of a conversation's
// plans as it is staged.
func (ts *Turns) decidesStepwise(conv *conversation.Conversation) bool {
	return cmp.Or(ts.Conversations.Decide(conv), ts.settings.Decide, config.DecidePlan) == config.DecideAsk
}

// checkDecide refuses an unknown setting; "" leaves it open.
func checkDecide(way string) error {
	switch way {
	case "", config.DecidePlan, config.DecideAsk:
		return nil
	}
	return refusal.New(refusal.Invalid, "There is no way to decide %q: use plan (at the end of the turn) or ask (about each operation as it is staged).", way)
}

// changeDecide says how the plans of a conversation are decided on, after changing it if a
// setting is given.
func (ts *Turns) changeDecide(conv *conversation.Conversation, way []string) string {
	if len(way) > 0 {
		ts.Conversations.SetDecide(conv, way[0])
	}
	if ts.decidesStepwise(conv) {
		return "In this conversation you are asked about each edit as it is staged, from the next message on."
	}
	return "In this conversation you decide on the plan when a turn has ended, from the next message on."
}

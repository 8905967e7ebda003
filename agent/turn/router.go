package turn

import (
	"context"

	"redline/agent/board"
	"redline/agent/intent"
	"redline/agent/store"
)

// routing is the route of a message, and why it was chosen.
type routing struct {
	route  string
	by     string
	reason string        // in a few words
	flags  *intent.Flags // nil when the message was not classified
	down   error         // why no model can be asked; nil if one can, or nobody tried
}

// route chooses the route of a turn. A mode, a slash command, a comment and feedback on a plan
// name it. Any other message is classified, and intent.Choose makes a route of the flags. A model
// that classifies can only choose among harmless routes: handleProceed, which may approve,
// checks the user's own words again, the plans that wait, and what this client was shown.
func (w *work) chooseRoute(ctx context.Context) (routing, error) {
	m := &w.turn.request
	if err := checkMode(*m); err != nil {
		return routing{}, err
	}
	switch {
	case modes[m.Mode] != "" && m.Slash != "":
		return routing{route: modes[m.Mode], by: bySlash, reason: "/" + m.Slash}, nil
	case modes[m.Mode] != "":
		return routing{route: modes[m.Mode], by: byMode, reason: "the mode " + m.Mode}, nil
	case m.Comment != nil:
		return routing{route: routeTools, by: byComment, reason: "a comment asks for it"}, nil
	case m.Revise != 0 && w.revisions.inWords(w.turn): // until it is approved
		return routing{route: routeText, by: byRework, reason: "it is feedback on a plan in words"}, nil
	case m.Revise != 0:
		return routing{route: routeTools, by: byRework, reason: "it is feedback on a plan"}, nil
	}
	in, err := w.situation(ctx)
	if err != nil {
		return routing{}, err
	}
	chosen := w.classify(ctx, in)
	if w.builtin() { // it answers every message itself
		chosen.flags.Plan, chosen.flags.OffTopic = false, false
	}
	route, why := intent.Choose(*chosen.flags, in)
	chosen.route, chosen.reason = w.orSpecialists(string(route)), chosen.reason+"; "+why
	if chosen.down != nil && (route == intent.Tools || route == intent.Text) {
		return chosen, chosen.down // do not make the user wait for it again
	}
	return chosen, ctx.Err()
}

// situation returns the state of a conversation that the route of a message depends on.
func (w *work) situation(ctx context.Context) (intent.Situation, error) {
	var s intent.Situation
	conv := w.turn.Conversation
	s.First = conv.Memory.Value().Empty()
	plans := w.Board.Plans(conv.ID)
	s.Revisions = len(plans) > 0
	s.Waiting = len(board.Waiting(plans)) > 0 || s.First && len(board.Waiting(w.Board.Plans(""))) > 0
	if !s.Revisions {
		done, err := w.store.Plans(ctx, w.Session.Key(), store.Filter{Conversation: conv.ID, Limit: 1})
		if err != nil {
			return s, err
		}
		s.Revisions = len(done) > 0
	}
	s.First = s.First && !s.Revisions
	return s, nil
}

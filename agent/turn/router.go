package turn

import (
	"context"
	"time"

	"redline/agent/board"
	"redline/agent/intent"
	"redline/agent/model"
	"redline/agent/session"
	"redline/agent/store"
)

// router chooses the routes of turns.
//
// A message that names its route, by a mode, a slash command, a comment or feedback, takes
// that one. Any other is classified, and intent.Choose makes a route of the flags. A model
// that classifies can only choose among harmless routes: handleProceed, which may approve,
// checks the user's own words again, the plans that wait, and what this client was shown.
type router struct {
	session   *session.Session
	board     *board.Board
	model     model.Provider
	texts     *texts
	revisions *revisions
	deciding  *deciding

	specialists    bool // see Options
	classifyBy     string
	classifyWithin time.Duration
}

// routing is the route of a message, and why it was chosen.
type routing struct {
	route  string
	by     string
	reason string        // in a few words
	flags  *intent.Flags // nil when the message was not classified
	down   error         // why no model can be asked; nil if one can, or nobody tried
}

// route chooses the route of a turn. A mode, a slash command, a comment and feedback on a plan
// name it; any other message is classified.
func (r *router) route(ctx context.Context, t *turn, ask askModel) (routing, error) {
	m := &t.request
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
	case m.Revise != 0:
		return r.routeRework(t), nil
	}
	in, err := r.situation(ctx, t)
	if err != nil {
		return routing{}, err
	}
	chosen := r.classify(ctx, t, in, ask)
	if r.model.Info().Provider == "builtin" { // it answers every message itself
		chosen.flags.Plan, chosen.flags.OffTopic = false, false
	}
	route, why := intent.Choose(*chosen.flags, in)
	chosen.route, chosen.reason = r.orSpecialists(t, string(route)), chosen.reason+"; "+why
	if chosen.down != nil && (route == intent.Tools || route == intent.Text) {
		return chosen, chosen.down // do not make the user wait for it again
	}
	return chosen, ctx.Err()
}

// routeRework chooses the route of feedback: a plan in words stays in words until it is
// approved.
func (r *router) routeRework(t *turn) routing {
	if r.revisions.inWords(t) {
		return routing{route: routeText, by: byRework, reason: "it is feedback on a plan in words"}
	}
	return routing{route: routeTools, by: byRework, reason: "it is feedback on a plan"}
}

// situation returns the state of a conversation that the route of a message depends on.
func (r *router) situation(ctx context.Context, t *turn) (intent.Situation, error) {
	var s intent.Situation
	s.First = t.Conversation.Memory.Value().Empty()
	plans := r.board.Plans(t.Conversation.ID)
	s.Revisions = len(plans) > 0
	s.Waiting = len(board.Waiting(plans)) > 0 || s.First && len(board.Waiting(r.board.Plans(""))) > 0
	if !s.Revisions {
		done, err := r.session.Store.Plans(ctx, r.session.Key(), store.Filter{Conversation: t.Conversation.ID, Limit: 1})
		if err != nil {
			return s, err
		}
		s.Revisions = len(done) > 0
	}
	s.First = s.First && !s.Revisions
	return s, nil
}

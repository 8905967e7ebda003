package turn

import (
	"context"

	"redline/agent/conversation"
	"redline/agent/intent"
	"redline/agent/refusal"
	"redline/agent/store"
)

// The routes of a turn, as events name them.
const (
	routeTools       = string(intent.Tools)    // the model may stage edits
	routeAsk         = "ask"                   // reading tools only
	routeProceed     = string(intent.Proceed)  // the plan that waits is approved, or the user is asked which
	routeOffTopic    = string(intent.OffTopic) // declined without asking the model
	routeText        = string(intent.Text)     // a plan in words
	routeWorkOut     = "work_out"              // a plan in words was approved: the model works it out
	routeSpecialists = "heap"                  // several specialists
	routeRender      = string(intent.Render)   // the plan is shown again
)

// What chose the route of a message.
const (
	byModel    = "model"    // a model classified it
	byRules    = "rules"    // keyword rules did
	byMode     = "mode"     // the user named a mode
	bySlash    = "slash"    // with a slash command
	byComment  = "comment"  // it is a comment request
	byRework   = "rework"   // it is feedback on a plan
	byApproval = "approval" // a plan in words was approved
	byAnswer   = "answer"   // it answers a question and continues the turn that asked
)

// A message that names its route, by a mode, a slash command, a comment or feedback, takes
// that one. Any other is classified, and intent.Choose makes a route of the flags. A model
// that classifies can only choose among harmless routes: handleProceed, which may approve,
// checks the user's own words again, the plans that wait, and what this client was shown.

// routing is the route of a message, and why it was chosen.
type routing struct {
	route  string
	by     string
	reason string        // in a few words
	flags  *intent.Flags // nil when the message was not classified
	down   error         // why no model can be asked; nil if one can, or nobody tried
}

// modes are the routes that a user can name.
var modes = map[string]string{"plan": routeTools, "ask": routeAsk, "text": routeText, "heap": routeSpecialists}

// checkMode refuses an unknown mode.
func checkMode(m conversation.Request) error {
	switch m.Mode {
	case "", "auto":
		return nil
	}
	if modes[m.Mode] == "" {
		return refusal.New(refusal.Invalid, "There is no mode %q: use auto, plan, text, heap or ask.", m.Mode)
	}
	return nil
}

// route chooses the route of a turn. A mode, a slash command, a comment and feedback on a plan
// name it; any other message is classified.
func (ts *Turns) route(ctx context.Context, w *work) (routing, error) {
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
	case m.Revise != 0:
		return ts.routeRework(w.turn), nil
	}
	in, err := ts.situation(ctx, w.turn)
	if err != nil {
		return routing{}, err
	}
	r := ts.classify(ctx, w, in)
	if ts.model.Info().Provider == "builtin" { // it answers what it does not understand itself
		r.flags.Plan, r.flags.OffTopic = false, false
	}
	route, why := intent.Choose(*r.flags, in)
	r.route, r.reason = ts.orSpecialists(w.turn, string(route)), r.reason+"; "+why
	if r.down != nil && (route == intent.Tools || route == intent.Text) {
		return r, r.down // the user does not wait for it twice
	}
	return r, ctx.Err()
}

// routeRework chooses the route of feedback: a plan in words stays in words until it is
// approved.
func (ts *Turns) routeRework(t *turn) routing {
	if ts.revisions.inWords(t) {
		return routing{route: routeText, by: byRework, reason: "it is feedback on a plan in words"}
	}
	return routing{route: routeTools, by: byRework, reason: "it is feedback on a plan"}
}

// situation returns what the route of a message depends on besides its words.
func (ts *Turns) situation(ctx context.Context, t *turn) (intent.Situation, error) {
	var s intent.Situation
	s.First = t.Conversation.Memory.Value().Empty()
	s.Revisions = ts.board.HasPlans(t.Conversation.ID)
	s.Waiting = len(ts.board.Waiting(t.Conversation.ID)) > 0 || s.First && len(ts.board.Waiting("")) > 0
	if !s.Revisions {
		done, err := ts.store.Plans(ctx, ts.workspaceKey(), store.Filter{Conversation: t.Conversation.ID, Limit: 1})
		if err != nil {
			return s, err
		}
		s.Revisions = len(done) > 0
	}
	s.First = s.First && !s.Revisions
	return s, nil
}

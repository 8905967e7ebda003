package turn

import (
	"context"

	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/event"
	"redline/agent/intent"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
)

// turn is a turn with what only its own goroutine knows.
type turn struct {
	*conversation.Turn
	request   conversation.Request // what it is about: after an answer, the request that has asked
	steps     []plan.Step          // of what it proposes, nil for one
	before    string               // the goal of the plan that it changes though its message does not name it, "" for none
	continued *continuation        // the question that it goes on after, nil for none
}

// A routeHandler runs a turn of one route: it takes the message to an answer or a plan. It
// returns nil once it has concluded the turn, also one that a limit ended; an error makes the
// turn failed.
//
// Each handler has a file, route_NAME.go, and an entry in [routeHandlers]. It is made of
// common parts: openDraft if it may stage something, request for what the model is sent,
// converse to have the model work with its tools, concludeTurn to make the revision and
// remember what was said.
type routeHandler func(w *work, ctx context.Context) error

// routeHandlers are the handlers by route.
var routeHandlers map[string]routeHandler

func init() { // not where it is declared: a handler may begin another turn
	routeHandlers = map[string]routeHandler{
		routeTools:       (*work).handleTools,
		routeAsk:         (*work).handleAsk,
		routeProceed:     (*work).handleProceed,
		routeOffTopic:    (*work).handleOffTopic,
		routeRender:      (*work).handleRender,
		routeSpecialists: (*work).handleSpecialists,
		routeText:        (*work).handleText,
		routeWorkOut:     (*work).handleWorkOut,
	}
}

// needsMemory are the routes on which a model is told what was said before.
var needsMemory = map[string]bool{routeTools: true, routeAsk: true, routeText: true, routeSpecialists: true}

// work is a running turn. Only the turn's goroutine uses it.
type work struct {
	*parts
	turn    *turn
	route   string
	flags   *intent.Flags // what the message wants, nil if it was not classified
	revised *board.Held   // the plan that is revised, nil: the turn begins one
	draft   *draft.Draft  // what it stages, nil on a route that stages nothing
	before  int           // how many operations the draft had in the beginning

	continued *continuation   // the question that the turn goes on after, nil for none
	outcome   loop.Outcome    // of the model's work, as far as it has come
	aside     model.Usage     // of requests besides, as for classifying
	undone    plan.Unfinished // what the model has left undone, once it has stopped
}

// Run takes a turn to its answer.
func (ts *Turns) Run(ctx context.Context, t *conversation.Turn) error {
	own := &turn{Turn: t, request: t.Request}
	if t.Request.Answers != nil {
		return ts.continueTurn(ctx, own)
	}
	return ts.runTurn(ctx, own)
}

// runTurn takes a message to an answer or a plan.
func (ts *Turns) runTurn(ctx context.Context, t *turn) error {
	if err := ts.board.Refresh(ctx); err != nil && t.request.Mode != "ask" {
		return err // a question needs no plans
	}
	t.Conversation.Memory.Recollect(ctx)
	w := &work{parts: ts.parts, turn: t}
	r, err := ts.router.route(ctx, t, func(ctx context.Context, p model.Provider, req model.Request) (string, error) {
		return w.structured(ctx, p, req)
	})
	if err != nil {
		return err
	}
	w.route, w.flags = r.route, r.flags
	if needsMemory[r.route] {
		w.makeRoom(ctx)
	}
	e := t.Event(event.Routed)
	e.Route, e.Intent, e.By, e.Reason = r.route, r.flags, r.by, r.reason
	ts.notify(e)
	return routeHandlers[r.route](w, ctx)
}

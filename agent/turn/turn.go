package turn

import (
	"context"

	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/event"
	"redline/agent/intent"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/tool"
)

// turn is a turn and the state of it that only its own goroutine uses.
type turn struct {
	*conversation.Turn
	request   conversation.Request // after an answer to a question, the request that asked
	steps     []plan.Step          // the steps of its plan, nil for one
	before    string               // the goal of the plan that it changes without naming it, "" for none
	continued *continuation        // the question that it continues after, nil for none
}

// A routeHandler runs a turn of one route: it takes the message to an answer or a plan. It
// returns nil if the turn has ended well, also at a limit. If it returns an error, the turn has
// failed.
//
// The handlers are in route_*.go, and in [routeHandlers]. They are made of common parts:
// openDraft opens a draft to stage in, request makes the messages to the model, converse has the
// model work with its tools, conclude ends the turn with a question, or makes the revision and
// remembers what was said.
type routeHandler func(ctx context.Context, w *work) error

// routeHandlers are the handlers by route.
var routeHandlers map[string]routeHandler

func init() { // a handler may begin another turn: a declaration would refer to itself
	routeHandlers = map[string]routeHandler{
		routeTools:       handleTools,
		routeAsk:         handleAsk,
		routeProceed:     handleProceed,
		routeOffTopic:    handleOffTopic,
		routeRender:      handleRender,
		routeSpecialists: handleSpecialists,
		routeText:        handleText,
		routeWorkOut:     handleWorkOut,
	}
}

// needsMemory are the routes whose model reads what was said before.
var needsMemory = map[string]bool{routeTools: true, routeAsk: true, routeText: true, routeSpecialists: true}

// work is a running turn. Only the turn's goroutine uses it.
type work struct {
	*Turns
	turn    *turn
	route   string
	flags   *intent.Flags // what the message wants, nil if it was not classified
	revised *board.Held   // the plan that is revised, nil: the turn begins one
	env     *tool.Env     // of its tools, with the draft that they stage in; nil on a route without a model
	before  int           // the number of operations that the draft had at first

	outcome loop.Outcome    // of the model's work so far
	aside   model.Usage     // of other requests, for instance to classify the message
	undone  plan.Unfinished // by the model, once it has stopped
}

// Run runs a turn until it has an answer or a plan, or waits for the user's answer.
func (ts *Turns) Run(ctx context.Context, t *conversation.Turn) error {
	w := &work{Turns: ts, turn: &turn{Turn: t, request: t.Request}}
	if t.Request.Answers != nil {
		return w.continueTurn(ctx)
	}
	if err := ts.Board.Refresh(ctx); err != nil && t.Request.Mode != "ask" {
		return err // a question needs no plans
	}
	t.Conversation.Memory.Recollect(ctx)
	r, err := w.chooseRoute(ctx)
	if err != nil {
		return err
	}
	w.route, w.flags = r.route, r.flags
	if needsMemory[r.route] {
		w.makeRoom(ctx)
	}
	t.Notify(event.Event{Kind: event.Routed, Route: r.route, Intent: r.flags, By: r.by, Reason: r.reason})
	return routeHandlers[r.route](ctx, w)
}

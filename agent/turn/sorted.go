package turn

import (
	"context"
	"errors"

	"redline/agent/conversation"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/tool"
)

// Keyword rules know few words. So the first request of a turn whose way they have chosen lets the
// model say, by its first call, that the message asks for a plan in words, or only wants the plan
// that waits carried out or shown. That costs no request for any other message, in no language. It
// can only lead to less than the turn may do anyway: to reading tools, or to an answer of Redline
// itself. It never approves; see handleProceed for what does.

// sorting returns the tool for that, none if something else than the rules has chosen the way.
func (w *work) sorting(ctx context.Context) []tool.Tool {
	m := &w.turn.request
	if w.by != byRules || w.builtin() || m.Quoted || w.turn.continued != nil {
		return nil
	}
	return []tool.Tool{tool.Sorting(func(wants string) error { return w.mayTakeWay(ctx, wants) })}
}

// mayTakeWay returns why the turn cannot take a way now, for the model.
func (w *work) mayTakeWay(ctx context.Context, wants string) error {
	if w.revising.staged(w.env.Draft) {
		return errors.New("it is too late, since something is staged: finish the work")
	}
	if _, submitted := w.env.Draft.Submitted(); submitted {
		return errors.New("it is too late, since steps are submitted: finish the work")
	}
	in, err := w.situation(ctx, w.turn)
	switch {
	case err != nil:
		return err
	case wants == tool.WantsProceed && !in.Waiting:
		return errors.New("no plan waits: do what the message asks for")
	case wants == tool.WantsShow && len(in.plans) == 0:
		return errors.New("this conversation has no plan yet: do what the message asks for")
	}
	return nil
}

// takeWay runs the turn anew on the way that the model has chosen.
func (w *work) takeWay(ctx context.Context, wants string) error {
	asked := w.outcome.Usage
	w.turn.spent.work = model.Usage{}
	w.turn.chargeBeside(asked)
	w.turn.Update(func(r *conversation.Result) { r.Answer, r.Unfinished = "", plan.Unfinished{} })
	w.outcome, w.undone = loop.Outcome{}, plan.Unfinished{}
	w.env, w.briefing, w.revising = nil, nil, revising{revisions: w.revisions, turn: w.turn}

	way := map[string]struct {
		route  string
		flags  state.Intent
		reason string
		handle routeHandler
	}{
		tool.WantsPlan:    {routeText, state.Intent{Plan: true}, "the model's first call says that it asks for a plan in words", handleText},
		tool.WantsProceed: {routeProceed, state.Intent{Proceed: true}, "the model's first call says that it wants the plan carried out", handleWaits},
		tool.WantsShow:    {routeRender, state.Intent{Render: true}, "the model's first call says that it asks to see the plan again", handleRender},
	}[wants]
	w.route, w.by, w.flags = way.route, byModel, &way.flags
	w.turn.Notify(state.Event{Kind: state.Routed, Route: w.route, Intent: w.flags, By: w.by, Reason: way.reason, Agent: w.choices.Agent.Name, Mode: w.choices.Mode})
	return way.handle(ctx, w)
}

// handleWaits tells the user which plan waits and how to approve it. It approves nothing.
func handleWaits(ctx context.Context, w *work) error {
	in, err := w.situation(ctx, w.turn)
	if err != nil {
		return err
	}
	n, why := theOneWaiting(in)
	if why == "" {
		why = w.waits(n)
	}
	w.turn.Update(func(r *conversation.Result) { r.Answer = why })
	return nil
}

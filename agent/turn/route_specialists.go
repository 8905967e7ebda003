package turn

import (
	"context"
	"fmt"
	"strings"

	"redline/agent/agentfiles"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/orchestrator"
	"redline/agent/specialists"
	"redline/agent/tool"
	"redline/agent/toolset"
	"redline/agent/trace"
)

// handleSpecialists runs a request that several specialists work on: a planner chooses them,
// they work level by level, and all that they stage is one revision.
func (ts *Turns) handleSpecialists(ctx context.Context, w *work) error {
	if err := ts.openDraft(ctx, w); err != nil {
		return err
	}
	defer ts.revisions.endRevision(w.revised)
	request, err := ts.forSpecialists(ctx, w)
	if err != nil {
		return err
	}
	out, err := orchestrator.Run(ctx, specialistsHost{ts, w}, request)
	if err != nil {
		return err
	}
	if out.Question != nil {
		w.turn.Update(func(r *conversation.Result) { r.Specialists = out.Summary })
		return ts.parkAs(ctx, w, &parked{Question: out.Question.Text, Options: out.Question.Options, Specialists: out.Parked})
	}
	return ts.concludeSpecialists(ctx, w, out)
}

// orSpecialists returns routeSpecialists for a message that names no mode if the user's
// settings send those to specialists, else route.
func (r *router) orSpecialists(t *turn, route string) string {
	m := &t.request
	open := route == routeTools && (m.Mode == "" || m.Mode == "auto") && m.Comment == nil && m.Revise == 0
	if !open || !r.specialists {
		return route
	}
	if r.deciding.decidesStepwise(t.Conversation) {
		return route // a user who is asked about each operation is asked by one
	}
	return routeSpecialists
}

// forSpecialists returns the request of a turn for the specialists.
func (ts *Turns) forSpecialists(ctx context.Context, w *work) (orchestrator.Request, error) {
	t, c := w.turn, w.continued
	env := ts.env(w)
	tools := ts.reach.With(ctx, agentfiles.Tools(tool.All()), env, t.Warn)
	registry, notices := ts.agentFiles.Registry(tools)
	for _, n := range notices {
		if ts.session.First(n) {
			t.Warn(n)
		}
	}
	system, err := ts.changeSystem(ctx, w.revised)
	if err != nil {
		return orchestrator.Request{}, err
	}
	m := &t.request
	if c != nil {
		m = &c.request
	}
	message := ts.userMessage(ctx, t, m, w.draft).Content
	r := orchestrator.Request{
		Text: m.Text, Message: message,
		Place:    strings.TrimSpace(strings.TrimPrefix(message, m.Text)),
		Recent:   specialists.Recent(ts.said(t.Conversation)),
		Rework:   strings.TrimPrefix(system, ts.texts.prompt("system")+"\n"+ts.texts.prompt("steps")),
		MayAsk:   c == nil || len(c.exchanges()) < maxQuestions,
		Registry: registry, Tools: tools, Env: env, Model: ts.model, Limits: ts.limits,
	}
	if w.revised != nil {
		r.Steps = w.revised.Revision().Steps
	}
	if c != nil {
		r.Answer, r.Answers, r.Parked = c.answer, c.answers(), c.parked.Specialists
	}
	return r, nil
}

// answers returns the questions of the request so far, with their answers, for the specialists.
func (c *continuation) answers() string {
	var b strings.Builder
	for _, e := range c.exchanges() {
		fmt.Fprintf(&b, "\n\n[The user was asked]\n%s\n\n[The user has answered]\n%s", e.Question, e.Answer)
	}
	return b.String()
}

// concludeSpecialists makes a revision of what specialists have staged and remembers what they
// said. The turn fails if none of them finished.
func (ts *Turns) concludeSpecialists(ctx context.Context, w *work, out *orchestrator.Outcome) error {
	t, undone := w.turn, out.Undone
	undone.Refused = missing(w.draft)
	t.Update(func(r *conversation.Result) { r.Specialists, r.Unfinished = out.Summary, undone })
	undone.Stopped = "" // it is among the notices
	inPlan := undoneIn(t, w.draft)
	inPlan.Stopped = ""
	if len(w.draft.Operations()) > w.before {
		for _, text := range out.Notices { // an answer that has a plan need not be shown
			t.Warn(text)
		}
		t.steps = out.Steps
		if err := ts.revisions.makeRevision(ctx, t, w.draft, w.revised, out.Description(withUndone(out.Answer, inPlan))); err != nil {
			return err
		}
	} else if out.Err != nil {
		return out.Err
	}
	ts.remember(t, withUndone(out.Answer, undone))
	return out.Err
}

// specialistsHost gives specialists what they need of a turn.
type specialistsHost struct {
	ts *Turns
	w  *work
}

func (h specialistsHost) Prompt(name string) string { return h.ts.texts.prompt(name) }

func (h specialistsHost) Spawn(f func()) { h.ts.session.Spawn(f) }

func (h specialistsHost) Record(s trace.Step) {
	if r := h.ts.traces.Of(h.w.turn.ID); r != nil {
		r.Record(s)
	}
}

func (h specialistsHost) Charge(used model.Usage) {
	h.w.turn.Update(func(r *conversation.Result) { r.Usage = asUsage(h.w.aside.Plus(used)) })
}

func (h specialistsHost) Failed(err error) { h.ts.conversations.LogFailure(h.w.turn.Turn, err) }

func (h specialistsHost) Hooks(d *draft.Draft) loop.Hooks {
	hooks := h.ts.hooks(h.w)
	hooks.Typed = func() int { return h.ts.board.TypedIn(d) }
	return hooks
}

// Replay is not cut off with the turn: what was staged is kept.
func (h specialistsHost) Replay() draft.Replay { return toolset.Replay(context.Background(), h.ts.ws) }

func (h specialistsHost) Staged(d *draft.Draft) string { return h.w.continued.staged(d) }

func (h specialistsHost) TakeOut(ctx context.Context, d *draft.Draft, names []string) (*draft.Draft, error) {
	next, err := h.ts.takeOut(ctx, h.w, d, names)
	if err == nil {
		h.w.draft = next
	}
	return next, err
}

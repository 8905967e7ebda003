package turn

import (
	"context"
	"fmt"
	"strings"

	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/orchestrator"
	"redline/agent/tool"
	"redline/agent/toolset"
	"redline/agent/trace"
)

// handleSpecialists runs a request with several specialists: a planner chooses them, they work
// level by level, and all that they stage becomes one revision.
func handleSpecialists(ctx context.Context, w *work) error {
	d, err := w.revising.open(ctx)
	if err != nil {
		return err
	}
	defer w.revising.end()
	w.stageIn(d)
	request, user, err := w.forSpecialists(ctx)
	if err != nil {
		return err
	}
	out, err := orchestrator.Run(ctx, specialistsHost{w, user}, request)
	if err != nil {
		return err
	}
	if out.Question != nil {
		w.turn.Update(func(r *conversation.Result) { r.Specialists = out.Summary })
		return w.parkAs(ctx, &parked{Question: out.Question.Text, Options: out.Question.Options, Specialists: out.Parked})
	}
	return w.concludeSpecialists(ctx, out)
}

// mayTake reports whether specialists may work on a message that would take the given route.
// They may not if the message names a mode, or if the user decides on each operation, since then
// one model works.
func (w *work) mayTake(route string) bool {
	m := &w.turn.request
	return route == routeTools && (m.Mode == "" || m.Mode == "auto") && m.Comment == nil && m.Revise == 0 && !w.decidesStepwise(w.turn.Conversation)
}

// forSpecialists returns the request of a turn for the specialists, and the user's message as
// their models get it.
func (w *work) forSpecialists(ctx context.Context) (orchestrator.Request, model.Message, error) {
	t, c := w.turn, w.turn.continued
	tools := w.economised(w.possible(ctx, Tools(w.changingTools(ctx))), model.For(w.Model, model.Editing))
	registry, notices := w.Agents.Registry(tools)
	for _, n := range notices {
		if w.Session.First(n) {
			t.Warn(n)
		}
	}
	reworked, err := w.briefing.reworked(ctx, "rework-several") // specialists have no unstage
	if err != nil {
		return orchestrator.Request{}, model.Message{}, err
	}
	m := &t.request
	if c != nil {
		m = &c.request
	}
	user := w.briefing.userMessage(ctx, m)
	r := orchestrator.Request{
		Text: m.Text, Message: user.Content,
		Place:    strings.TrimSpace(strings.TrimPrefix(user.Content, m.Text)),
		Recent:   orchestrator.Recent(w.briefing.said()),
		Rework:   reworked,
		MayAsk:   c == nil || len(c.exchanges()) < maxQuestions,
		Registry: registry, Tools: w.agent.permitted(tools, w.env), Env: w.env, Model: w.Model, Limits: w.settings.Limits,
	}
	if h := w.revising.plan; h != nil {
		r.Steps = h.Revision().Steps
	}
	if c != nil {
		r.Answer, r.Answers, r.Parked = c.answer, c.answers(), c.parked.Specialists
	}
	return r, user, nil
}

// answers returns the answered questions of the request so far, for the specialists.
func (c *continuation) answers() string {
	var b strings.Builder
	for _, e := range c.exchanges() {
		fmt.Fprintf(&b, "\n\n[The user was asked]\n%s\n\n[The user has answered]\n%s", e.Question, e.Answer)
	}
	return b.String()
}

// concludeSpecialists makes a revision of what specialists have staged and remembers the
// exchange. The turn fails if no specialist finished.
func (w *work) concludeSpecialists(ctx context.Context, out *orchestrator.Outcome) error {
	t, undone := w.turn, out.Undone
	undone.Refused = w.revising.leftUndone(w.env.Draft, out.Answer)
	t.Update(func(r *conversation.Result) { r.Specialists, r.Unfinished = out.Summary, undone })
	undone.Stopped = "" // it is among the notices
	inPlan := undoneIn(t, w.env.Draft)
	inPlan.Stopped = ""
	if w.revising.staged(w.env.Draft) {
		for _, text := range out.Notices { // clients may not show the answer of a turn that has a plan
			t.Warn(text)
		}
		t.steps = out.Steps
		if err := w.revisions.makeFrom(ctx, t, w.env.Draft, w.revising.plan, out.Description(withUndone(out.Answer, inPlan))); err != nil {
			return err
		}
	} else if out.Err != nil {
		return out.Err
	}
	w.remember(withUndone(out.Answer, undone))
	return out.Err
}

// specialistsHost implements what specialists need of a turn.
type specialistsHost struct {
	*work
	user model.Message // the user's message
}

func (h specialistsHost) Prompt(name string) string { return h.prompt(name) }

func (h specialistsHost) Record(s trace.Step) { h.turn.Record(s) }

func (h specialistsHost) Staged(d *draft.Draft) string { return h.revising.list(d) }

func (h specialistsHost) TakeOut(ctx context.Context, d *draft.Draft, names []string) (*draft.Draft, error) {
	return h.revising.takeOut(ctx, d, names)
}

func (h specialistsHost) Spawn(f func()) { h.Session.Spawn(f) }

func (h specialistsHost) Charge(used model.Usage) {
	h.turn.charge(used)
}

func (h specialistsHost) Failed(err error) { h.Conversations.LogFailure(h.turn.Turn, err) }

func (h specialistsHost) Offered(tools []tool.Tool) {
	trying{h.work}.offer(tools, "its specialists")
}

func (h specialistsHost) Check(ctx context.Context, d *draft.Draft, failed []orchestrator.Failure) []orchestrator.Failure {
	return trying{h.work}.check(ctx, d, failed)
}

func (h specialistsHost) Hooks(d *draft.Draft) loop.Hooks {
	hooks := h.hooks()
	if d != nil {
		hooks.Typed = func() int { return h.Board.TypedIn(d) }
	}
	return hooks
}

func (h specialistsHost) Messages(ctx context.Context, system, about string) ([]model.Message, error) {
	reworked, err := h.briefing.reworked(ctx, "rework")
	if err != nil {
		return nil, err
	}
	return h.briefing.messages(ctx, system, strings.TrimSpace(reworked+"\n"+about), func(*conversation.Request) model.Message { return h.user })
}

// Replay runs even if the turn is cancelled, so that staged operations are kept.
func (h specialistsHost) Replay() draft.Replay { return toolset.Replay(context.Background(), h.ws) }

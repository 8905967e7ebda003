package turn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/tool"
	"redline/agent/view"
	"redline/internal/phrase"
)

// The routes of a turn, as events name them.
const (
	routeTools       = string(chat.Tools)    // the model may stage edits
	routeAsk         = "ask"                 // tools that only read
	routeProceed     = string(chat.Proceed)  // the waiting plan is approved, or the user is asked which
	routeOffTopic    = string(chat.OffTopic) // declined without asking the model
	routeText        = string(chat.Text)     // a plan in words
	routeWorkOut     = "work_out"            // a plan in words was approved: the model writes its edits
	routeSpecialists = "heap"                // several specialists work
	routeReport      = "report"              // the commands of a plan have run: the model reports their results
	routeOutside     = "outside"             // an outside agent works in a copy
	routeRender      = string(chat.Render)   // the plan is shown again
)

// The reasons for the route of a message.
const (
	byModel    = "model"    // a model classified it
	byRules    = "rules"    // keyword rules did
	byMode     = "mode"     // the user named a mode
	bySlash    = "slash"    // the user typed a slash command
	byComment  = "comment"  // it is a comment request
	byRework   = "rework"   // it is feedback on a plan
	byApproval = "approval" // a plan in words was approved, or a plan's commands have run
	byChoice   = "choice"   // the user has chosen an outside agent
	byAnswer   = "answer"   // it answers a question and continues the turn that asked
)

// modes maps the modes that a user can name to routes.
var modes = map[string]string{"plan": routeTools, "ask": routeAsk, "text": routeText, "heap": routeSpecialists}

// routing is the route of a message, and the reason for it.
type routing struct {
	route  string
	by     string
	reason string        // in a few words
	flags  *state.Intent // nil when the message was not classified
	down   error         // why no model can be asked; nil if one can, or none was asked
}

// chooseRoute chooses the route of a turn. A mode, a slash command, a comment or feedback on a
// plan decides it. Any other message is classified, and chat.ChooseRoute maps the flags to a route.
// A model that classifies can only choose among harmless routes: handleProceed, which may
// approve, checks for itself the user's own words, the waiting plans, and what this client was
// shown.
func (w *work) chooseRoute(ctx context.Context) (routing, error) {
	m := &w.turn.request
	in, err := w.situation(ctx, w.turn)
	if err != nil && m.Mode != "ask" { // a question does not need the plans
		return routing{}, err
	}
	if name := w.with(); name != "" && !w.decided(m, in) {
		return routing{route: routeOutside, by: byChoice, reason: "this conversation works with " + name}, nil
	}
	switch named := modes[m.Mode]; {
	case m.Report != 0:
		return routing{route: routeReport, by: byApproval, reason: fmt.Sprintf("the commands of plan %d have run", m.Report)}, nil
	case named != "" && m.Slash != "":
		return routing{route: named, by: bySlash, reason: "/" + m.Slash}, nil
	case named != "":
		return routing{route: named, by: byMode, reason: "the mode " + m.Mode}, nil
	case m.Comment != nil:
		return routing{route: routeTools, by: byComment, reason: "a comment asks for it"}, nil
	case m.Revise != 0 && w.revisions.inWords(w.turn): // until it is approved
		return routing{route: routeText, by: byRework, reason: "it is feedback on a plan in words"}, nil
	case m.Revise != 0:
		return routing{route: routeTools, by: byRework, reason: "it is feedback on a plan"}, nil
	}
	flags, why := chat.RulesIn(m.Text, in.Situation)
	// A later version may have stored a mode that this one does not know, and the user may approve in words in any mode.
	if mode := w.mode(); modes[mode] != "" && (!flags.Proceed || !in.Waiting) {
		return routing{route: modes[mode], by: byMode, reason: "the mode " + mode + " of this conversation"}, nil
	}
	chosen, err := w.beside().classify(ctx, in.Situation, routing{by: byRules, reason: why, flags: &flags})
	if err != nil {
		return routing{}, err
	}
	if w.builtin() { // it answers every message itself
		chosen.flags.Plan, chosen.flags.OffTopic = false, false
	}
	route, why := chat.ChooseRoute(*chosen.flags, in.Situation)
	chosen.route, chosen.reason = string(route), chosen.reason+"; "+why
	if w.settings.Specialists && w.mayTake(chosen.route) {
		chosen.route = routeSpecialists
	}
	if chosen.down != nil && (route == chat.Tools || route == chat.Text) {
		return chosen, chosen.down // do not make the user wait for it again
	}
	return chosen, ctx.Err()
}

// decided reports whether a message is about the plan that is there, and asks for no work: it approves
// it in words, or wants to see it.
func (w *work) decided(m *conversation.Request, in *situation) bool {
	if m.Mode != "" && m.Mode != "auto" || m.Comment != nil || m.Revise != 0 {
		return false
	}
	flags, _ := chat.RulesIn(m.Text, in.Situation)
	route, _ := chat.ChooseRoute(flags, in.Situation)
	return route == chat.Proceed || route == chat.Render
}

// situation is what a message finds in its conversation. It is read once for a turn, and again only
// if something has happened to the plans meanwhile.
type situation struct {
	chat.Situation
	here, all []*board.Held // the plans that the session holds, by number: the conversation's, and all
	plans     []*plan.Plan  // the newest of the conversation, also those that are closed, newest first
	report    string        // what has happened to these, for a model; "" for nothing
	news      int           // see [board.Threads.News]
}

// situation returns what the message of a turn finds. It reads the store, so it is right after a
// restart, and includes decisions made in other processes.
func (ts *Turns) situation(ctx context.Context, t *turn) (*situation, error) {
	conv := t.Conversation
	news, all := ts.Board.Threads.News(conv.ID), ts.Board.Plans("")
	if t.found != nil && t.found.news == news && slices.Equal(t.found.all, all) {
		return t.found, nil
	}
	plans, err := ts.store.Plans(ctx, ts.Session.Key(), store.Filter{Conversation: conv.ID, Limit: maxEarlier})
	if err != nil {
		return nil, err
	}
	s := &situation{plans: plans, all: all, news: news}
	s.here = slices.DeleteFunc(slices.Clone(s.all), func(h *board.Held) bool { return h.Plan().Conversation != conv.ID })
	if s.report, err = ts.report(ctx, plans[:min(maxReported, len(plans))]); err != nil {
		return nil, err
	}
	memory := conv.Memory.Value()
	if n := len(memory.Exchanges); n > 0 {
		s.Asked = chat.AsksForMore(memory.Exchanges[n-1].Answer)
	}
	s.Revisions = len(s.here)+len(plans) > 0
	s.Waiting = len(board.Waiting(s.here)) > 0 || memory.Empty() && len(board.Waiting(s.all)) > 0
	s.First = memory.Empty() && !s.Revisions
	t.found = s
	return s, nil
}

// handleTools handles a change: the model reads and stages with all tools, and what is staged at
// the end becomes a revision.
func handleTools(ctx context.Context, w *work) error {
	if w.decidesStepwise(w.turn.Conversation) {
		return handleStepwise(ctx, w)
	}
	d, err := w.revising.open(ctx)
	if err != nil {
		return err
	}
	err = func() error {
		defer w.revising.end()
		w.stageIn(d)
		return w.changeDraft(ctx)
	}()
	if wants := w.outcome.Wants; wants != "" && err == nil {
		return w.takeWay(ctx, wants)
	}
	return err
}

// changeDraft has the model work on an open draft and makes a revision of it.
func (w *work) changeDraft(ctx context.Context) error {
	about, err := w.briefing.reworked(ctx, "rework")
	if err != nil {
		return err
	}
	messages, err := w.briefing.request(ctx, w.briefing.changeSystem(), about)
	if err != nil {
		return err
	}
	request := w.reusing(messages)
	if request != nil && !w.turn.request.Again && w.again(ctx, request) {
		return w.conclude(ctx, nil)
	}
	err = w.converse(ctx, messages, append(w.changingTools(ctx), w.sorting(ctx)...), w.hooks())
	if err == nil && w.outcome.Wants != "" {
		return ctx.Err()
	}
	if err := w.conclude(ctx, err); err != nil {
		return err
	}
	if h := w.Board.Held(w.turn.Result().Plan); request != nil && h != nil && w.undone.None() {
		request.keep(h.Number(), h.Revision(), w.outcome.Text, w.outcome.Messages)
	}
	return nil
}

// handleAsk handles a question: the model has only tools that read.
func handleAsk(ctx context.Context, w *work) error {
	w.stageIn(draft.New(w.ws))
	messages, err := w.briefing.request(ctx, w.prompt("ask"), "")
	if err != nil {
		return err
	}
	return w.conclude(ctx, w.converse(ctx, messages, tool.Reading(), w.hooks()))
}

// reusing returns the request of a turn whose plan may be repeated. It returns nil unless the request is
// the first message of a conversation, begins a new plan, and no agent limits what the turn may
// do.
func (w *work) reusing(messages []model.Message) *reusable {
	m := &w.turn.request
	if !w.settings.ReusePlans || w.agent != nil || w.builtin() || w.revising.plan != nil || m.Revise != 0 || m.Comment != nil || m.Answers != nil || w.turn.found == nil || !w.turn.found.First {
		return nil
	}
	told := append(slices.Clone(messages[:len(messages)-1]), w.briefing.factless) // the files that the model read decide whether its work can be repeated, not the facts
	return reusableAs(w.Session, fingerprint{
		Route: w.route, Mode: m.Mode, Quoted: m.Quoted, Own: m.Own(), Text: m.Text, Told: told,
		Model: model.For(w.Model, model.Editing).Info(), Limits: w.settings.Limits, Reach: w.Reach.String(),
	})
}

// again repeats what was done for an equal request, and leaves w as if the model had worked. It
// returns false if the model has to be asked.
func (w *work) again(ctx context.Context, r *reusable) bool {
	made, ok := r.repeat(ctx, w.envFor, w.revisions.liveText)
	if !ok {
		return false
	}
	hooks := w.hooks()
	for _, c := range made.calls {
		hooks.Tool(c.tool, c.result.Summary)
		for _, s := range c.result.Staged {
			hooks.Staged(s)
		}
	}
	said := fmt.Sprintf("This is plan %d once more, without asking the model: the same was asked, and no file that it looked at has changed. /retry asks the model.", made.plan)
	if made.goal != "" {
		said = fmt.Sprintf("As plan %d did for %q: use it? It asks for the same in other words, no file that it looked at has changed, and the model was not asked. Approve it, or /retry to ask the model.", made.plan, phrase.FirstLine(made.goal, 80))
	}
	w.turn.Notify(state.Event{Kind: state.Noticed, Reused: made.plan, Text: said})
	w.env = w.envFor(made.draft)
	w.outcome = loop.Outcome{Text: strings.TrimSpace(made.answer + "\n\n" + said)}
	w.turn.Update(func(r *conversation.Result) { r.Answer = w.outcome.Text })
	return true
}

// handleProceed approves the waiting plan of a conversation, at the revision that the user saw.
// The user's own words must be, as a whole, a phrase that approves; exactly one plan must wait;
// and the user must have been shown it. Otherwise it asks which plan is meant. Apart from slash
// commands, no other path leads from a message to an approval, and no model's reply takes this
// one.
func handleProceed(ctx context.Context, w *work) error {
	m := &w.turn.request
	in, err := w.situation(ctx, w.turn)
	if err != nil {
		return err
	}
	answer := func(text string) error {
		w.turn.Update(func(r *conversation.Result) { r.Answer = text })
		return nil
	}
	n, why := theOneWaiting(in)
	switch {
	case why != "":
		return answer(why)
	case !approves(m):
		return answer(w.waits(n))
	}
	var revision int
	var hash string
	var ok bool
	if m.Shown != nil {
		revision, hash, ok = m.Shown(n)
	} else {
		if revision, hash, ok, err = w.store.LastShown(ctx, w.Session.Key(), n, m.Client); err != nil {
			return err
		}
	}
	if !ok {
		return answer(fmt.Sprintf("Plan %d has not been shown here yet: look at it first, then decide.", n))
	}
	d := view.Request{Plan: n, Revision: revision, Hash: hash, Way: view.ByWords, Client: cmp.Or(m.Client, "chat"), Reason: fmt.Sprintf("said %q", phrase.FirstLine(m.Own(), 60))}
	h, err := w.held(ctx, n)
	if err != nil {
		return err
	}
	if h.Revision().TextOnly { // this turn works the plan out
		if d, err = w.Decisions.Settled(ctx, d); err == nil {
			err = w.revisions.approveWords(ctx, h, d)
		}
		if err != nil {
			return err
		}
		m.Goal = h.Plan().Goal
		w.Board.Announce(h, "")
		return w.workOut(ctx, h, d)
	}
	r, err := w.Decisions.Approve(ctx, d)
	if err != nil {
		return err
	}
	w.turn.Update(func(r *conversation.Result) { r.Decided = plan.VerdictApprove })
	return answer(r.Line("approved"))
}

// theOneWaiting returns the number of the plan that an approval can only mean, or why there is none.
func theOneWaiting(in *situation) (n int, why string) {
	waiting, all := board.Waiting(in.here), board.Waiting(in.all)
	switch {
	case len(waiting)+len(all) == 0: // the plan was decided on meanwhile
		return 0, "No plan waits any more."
	case len(waiting) == 0:
		return 0, fmt.Sprintf("No plan waits in this conversation. If you approve one of another, say which: /approve N, where N is one of %s.", numbers(all))
	case len(waiting) > 1:
		return 0, fmt.Sprintf("Several plans wait in this conversation. Say which you approve: /approve N, where N is one of %s.", numbers(waiting))
	}
	return waiting[0], ""
}

// waits tells the user that a plan waits, and how to approve it.
func (w *work) waits(n int) string {
	goal := ""
	if h := w.Board.Held(n); h != nil {
		goal = ": " + phrase.TrimStop(phrase.FirstLine(h.Plan().Goal, 100))
	}
	return fmt.Sprintf("Plan %d waits for you%s. To approve it, send /approve %d or choose \"approve plan %d\" in your editor; nothing was done.", n, goal, n, n)
}

// approves reports whether the message is a phrase that approves, in the user's own words: not
// from a template, a comment, or text that was in the chat file when it was opened.
func approves(m *conversation.Request) bool {
	return chat.Approves(m.Text) && m.Decides && m.Comment == nil
}

// handleOffTopic declines a message that has nothing to do with the workspace. It asks no model.
func handleOffTopic(_ context.Context, w *work) error {
	w.turn.Update(func(r *conversation.Result) {
		r.Answer = "This does not seem to be about your workspace, so the model was not asked. If it is, send it again with /ask or /plan in front of it."
	})
	return nil
}

// handleRender shows the newest plan of a conversation again. It asks no model and decides
// nothing.
func handleRender(ctx context.Context, w *work) error {
	in, err := w.situation(ctx, w.turn)
	if err != nil {
		return err
	}
	if len(in.plans) == 0 {
		return plan.Refuse(plan.NoSuchPlan, "This conversation has no plan to show.")
	}
	h, err := w.held(ctx, in.plans[0].Number)
	if err != nil {
		return err
	}
	w.turn.Update(func(r *conversation.Result) { r.Answer, r.Plan = h.Revision().Description, h.Number() })
	w.Board.ShowAgain(h, w.turn.ID)
	return nil
}

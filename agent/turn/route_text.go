package turn

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"redline/agent/board"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/agent/view"
)

// handleText makes a plan in words. The model can only read files and try commands, and its
// reply becomes the description of a revision without operations. After the user approves it,
// the model works out the edits, see workOut.
func handleText(ctx context.Context, w *work) error {
	if w.revisions.inWords(w.turn) { // words do not replace staged edits
		var err error
		if w.revising.plan, err = w.revisions.begin(w.turn, false); err != nil {
			return err
		}
		defer w.revising.end()
	}
	w.stageIn(draft.New(w.ws))
	about := ""
	if h := w.revising.plan; h != nil {
		p, r := h.Now()
		about = fmt.Sprintf("%s\nGoal: %s\n\n%s\n", w.prompt("retext"), p.Goal, w.briefing.description(r, true))
	}
	messages, err := w.briefing.request(ctx, w.prompt("text"), about)
	if err != nil {
		return err
	}
	var tools []tool.Tool
	if !w.builtin() { // only if it cannot work does it answer in words
		tools = tool.OfFiles()
	}
	err = w.converse(ctx, messages, tools, w.hooks())
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err // half a plan is no plan
	case strings.TrimSpace(w.outcome.Text) == "":
		return plan.Refuse(plan.Invalid, "The model has answered nothing: send the message again, or say more about what you want.")
	}
	if model.IsHelp(w.Model.Info(), w.outcome.Text) {
		w.remember(w.outcome.Text)
		return nil
	}
	return w.concludeInWords(ctx)
}

// concludeInWords makes a revision in words of the model's answer, with the files that it is
// expected to change, and remembers the exchange.
func (w *work) concludeInWords(ctx context.Context) error {
	t, description := w.turn, withUndone(w.outcome.Text, w.undone)
	predicted := w.beside().predict(ctx, description)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	n := w.revisions.byModel(t, w.env.Draft, description, draft.Sealed{})
	n.TextOnly, n.Predicted = true, predicted
	if err := w.revisions.keep(ctx, w.revising.plan, n); err != nil {
		return err
	}
	w.remember(description)
	return nil
}

// wantedPlan reports whether a turn that ended without calling a tool that writes was meant to
// make a plan: then its reply is a plan in words.
func (w *work) wantedPlan() bool {
	m := &w.turn.request
	_, submitted := w.env.Draft.Submitted() // steps without operations are a plan in words
	wanted := w.mode() == "plan" || w.flags != nil && w.flags.Plan || submitted
	if c := w.turn.continued; c != nil && len(c.parked.Draft.Operations) > 0 {
		return false // operations were staged, and taken out after the user's answer
	}
	return wanted && w.route != routeAsk && m.Comment == nil && w.outcome.Stopped == "" && !triedToWrite(w.outcome.Messages) && strings.TrimSpace(w.outcome.Text) != "" &&
		!w.builtin() && !w.revising.hasEdits()
}

// A plan in words (Revision.TextOnly) has no operations. After its approval a turn works it out:
// the model runs with its tools, and the operations that it stages become the next revision,
// which the user decides on as usual. The conversation is reserved before the approval is
// stored, so that no other turn runs in between. The revision keeps the predicted files;
// plan.Drift compares them with the files that it changes. Nothing about drift is stored.

// ApproveWords records the approval of a plan in words and starts a turn of the plan's
// conversation that works it out. It returns the turn at once.
func (ts *Turns) ApproveWords(ctx context.Context, h *board.Held, d view.Request) (state.Result, error) {
	n, goal, conv := h.Plan().Number, h.Plan().Goal, h.Plan().Conversation
	reserved, busy, err := ts.Conversations.Reserve(ctx, conv) // a turn that begins now waits for this one
	switch {
	case err != nil:
		return state.Result{}, err
	case busy:
		return state.Result{}, plan.Refuse(plan.Busy, "A turn of plan %d's conversation is still running: approve the plan again when it has ended, or cancel it.", n)
	}
	if err := ts.revisions.approveWords(ctx, h, d); err != nil {
		reserved.Release()
		return state.Result{}, err
	}
	ts.Board.Announce(h, "")
	drafted, words := h.Now() // before the turn ends
	text := fmt.Sprintf("Plan %d is approved: stage it.", n)
	if ts.builtin() {
		text = goal // the conversation stores requests, not plans
	}
	r := conversation.Request{Message: conversation.Message{Text: text, Conversation: conv, Client: d.Client}, Goal: goal, Typed: new(string)}
	t := reserved.Begin(r, func(ctx context.Context, t *conversation.Turn) error {
		t.Notify(state.Event{Kind: state.Routed, Route: routeWorkOut, By: byApproval, Reason: fmt.Sprintf("plan %d, which is in words, was approved", n)})
		w := ts.begin(t)
		w.route = routeWorkOut
		return w.workOut(ctx, h, d)
	})
	return state.Result{
		Plan: n, Revision: words.Number, State: string(drafted.State),
		Files: []state.FileResult{}, Commands: []state.Command{}, Turn: t.ID,
	}, nil
}

// workOut has the model work out an approved plan in words, which is drafting. If the turn
// stages nothing, the plan returns to its earlier state.
func (w *work) workOut(ctx context.Context, h *board.Held, d view.Request) error {
	w.revising.plan = h
	defer w.revising.end()
	if err := w.recollect(ctx); err != nil {
		return err
	}
	if err := w.takeAgent(); err != nil {
		return err
	}
	w.makeRoom(ctx)
	proposed, err := w.revisions.draftFor(ctx, w.ws, h)
	if err != nil {
		return err
	}
	w.stageIn(proposed)
	return w.workOutOf(ctx, h, d)
}

// workOutOf works out a plan in words on the turn's open draft.
func (w *work) workOutOf(ctx context.Context, h *board.Held, d view.Request) error {
	p, words := h.Now()
	about := fmt.Sprintf("%s\n%s\n", w.prompt("workout"), words.Description)
	if len(words.Steps) > 1 { // else its goal and only step are the user's request, which was for a plan
		about += "\nGoal: " + p.Goal + "\n" + stepsInWords(p, words)
	}
	if texts := w.turn.reads.texts(w.env.Draft); texts != "" {
		about += "\n" + texts
	}
	messages, err := w.briefing.request(ctx, w.prompt("system")+"\n"+w.prompt("steps"), about)
	if err != nil {
		return err
	}
	for i := 1; i < len(messages); i++ { // the plan stands after these messages
		if m := &messages[i]; m.Role == model.RoleAssistant && m.Content == words.Description {
			m.Content = fmt.Sprintf("(This was plan %d, which is now approved.)", p.Number)
		}
	}
	if err := w.conclude(ctx, w.converse(ctx, messages, w.changingTools(ctx), w.hooks())); err != nil || w.turn.Asked() {
		return err
	}
	p, r := h.Now()
	if r.Number == words.Number { // nothing was staged, or the store cannot take it yet
		tx := w.Board.Lock(h)
		later := tx.Unstored()
		tx.Unlock()
		if !later {
			addToAnswer(w.turn, fmt.Sprintf("Nothing was staged, so plan %d waits as it was.", h.Plan().Number))
		}
		return nil
	}
	if drift, ok := p.Drift(r); ok {
		addToAnswer(w.turn, drift.String())
	}
	if !w.undone.None() || w.turn.continued != nil {
		return nil // the user is looking at an unfinished plan, or at one that follows their answer
	}
	return w.secondApproval(ctx, h, r, d)
}

// handleWorkOut continues to work out a plan in words after a question. If the plan was decided
// on or changed meanwhile, it handles the request as any other change.
func handleWorkOut(ctx context.Context, w *work) error {
	proposed, err := w.revising.open(ctx)
	if err != nil {
		return err
	}
	defer w.revising.end()
	w.stageIn(proposed)
	if h := w.revising.plan; h != nil && h.Revision().TextOnly {
		return w.workOutOf(ctx, h, view.Request{})
	}
	return w.changeDraft(ctx)
}

// secondApproval approves the edits worked out from a plan in words without asking again, if a
// rule in the user's own configuration says so. The approver on record is the rule. It never
// approves commands: the words that the user approved did not contain them, so each waits for a
// decision of its own, whatever the rules on commands say.
func (w *work) secondApproval(ctx context.Context, h *board.Held, r *plan.Revision, d view.Request) error {
	drift, ok := h.Plan().Drift(r)
	switch {
	case len(r.Changes) == 0:
		return nil
	case w.settings.SecondLook == config.SecondLookNever:
	case w.settings.SecondLook == config.SecondLookDrift && ok && drift.None():
	default:
		return nil
	}
	rule := "approval.second_look = " + w.settings.SecondLook
	result, err := w.Decisions.Approve(ctx, view.Request{
		Plan: h.Plan().Number, Revision: r.Number, Hash: r.Hash, NoCommands: true, Who: "rule: " + rule, Way: view.ByRule, Client: d.Client,
		Reason: fmt.Sprintf("revision %d was approved in words", r.Parent),
	})
	if refusal, ok := errors.AsType[*plan.Refusal](err); ok {
		addToAnswer(w.turn, fmt.Sprintf("Your rule %s did not approve it: %s", rule, refusal.Reason))
		return nil
	}
	if err != nil {
		return err
	}
	w.turn.Update(func(r *conversation.Result) { r.Decided = plan.VerdictApprove })
	addToAnswer(w.turn, fmt.Sprintf("By your rule %s: %s%s", rule, result.Line("approved"), commandsWait(len(h.Plan().Runnable(r)))))
	return nil
}

// commandsWait says that n commands were not run because the user has not seen them; "" if n is
// 0.
func commandsWait(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " Its command was not shown before and waits for you."
	}
	return fmt.Sprintf(" Its %d commands were not shown before and wait for you.", n)
}

// addToAnswer adds a paragraph to a turn's answer.
func addToAnswer(t *turn, text string) {
	t.Update(func(r *conversation.Result) {
		if r.Answer != "" {
			r.Answer += "\n\n"
		}
		r.Answer += text
	})
}

// inWords reports whether the turn would revise a plan in words.
func (rs *revisions) inWords(t *turn) bool {
	h := t.about
	return h != nil && h.Plan().State.Open() && h.Revision().TextOnly
}

// approveWords checks and stores the approval of a plan in words and sets the plan to drafting.
// Drafting is not stored, so after a crash the plan waits again.
func (rs *revisions) approveWords(ctx context.Context, h *board.Held, d view.Request) error {
	tx := rs.board.Lock(h)
	defer tx.Unlock()
	if err := tx.Ready(plan.ExecuteText, d); err != nil {
		return err
	}
	next, r := h.Plan().Clone(), h.Revision()
	switch {
	case !r.TextOnly:
		return view.NotAsShown(next.Number)
	case len(d.Paths)+len(d.Hunks)+len(d.Files) > 0 || d.Operation != "":
		return plan.Refuse(plan.Invalid, "Plan %d is in words only and has no parts yet: approve it as a whole, then decide on its edits.", next.Number)
	}
	stored, err := rs.store.Plan(ctx, rs.session.Key(), next.Number)
	if err != nil {
		return rs.board.StoreError(next.Number, err)
	}
	if kept, ok := stored.Revision(r.Number); !ok || plan.ApprovalHash(next.Number, kept) != r.Hash {
		return view.NotAsShown(next.Number)
	}
	next.Updated = rs.session.Now().UTC()
	if err := rs.store.Save(ctx, rs.session.Key(), next, view.RecordDecision(h.Plan(), h.Revision(), d, plan.VerdictApprove, nil, rs.session.Now())); err != nil {
		return rs.board.StoreError(next.Number, err)
	}
	if err := tx.Draft(next, plan.ExecuteText); err != nil {
		return plan.Refuse(plan.WrongState, "Plan %d: %s", next.Number, err)
	}
	return nil
}

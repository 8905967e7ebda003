package agent

import (
	"context"
	"errors"
	"fmt"

	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/tool"
)

// A plan in words that is approved is worked out: the model runs with its tools,
// what it stages is the next revision, and that is decided on like any other.

// approveWords records the approval of a plan in words and has it worked out, as
// a turn of the plan's conversation. It returns at once, with the turn.
func (a *Agent) approveWords(ctx context.Context, h *heldPlan, d Decide) (Result, error) {
	a.board.mu.Lock()
	n, goal, conv := h.plan.Number, h.plan.Goal, h.plan.Conversation
	a.board.mu.Unlock()
	taken, busy, err := a.conversations.Take(ctx, conv) // a turn that begins now waits for this one
	switch {
	case err != nil:
		return Result{}, err
	case busy:
		return Result{}, refuse(Busy, "A turn of plan %d's conversation is still running: approve the plan again when it has ended, or cancel it.", n)
	}
	if err := a.takeWords(ctx, h, d); err != nil {
		taken.Release()
		return Result{}, err
	}
	a.board.announce(h, "")
	r := conversation.Request{Message: Message{Text: goal, Conversation: conv, Client: d.Client}, Goal: goal, Typed: new(string)}
	t := taken.Begin(r, func(ctx context.Context, t *conversation.Turn) error {
		e := t.Event(Routed)
		e.Route, e.By, e.Reason = routeWorkOut, byApproval, fmt.Sprintf("plan %d, which is in words, was approved", n)
		a.notify(e)
		return a.workOut(ctx, &work{turn: &turn{Turn: t, request: r}, route: routeWorkOut}, h, d)
	})
	a.board.mu.Lock()
	defer a.board.mu.Unlock()
	return Result{
		Plan: n, Revision: h.revision.Number, State: string(h.plan.State),
		Files: []FileResult{}, Commands: []CommandState{}, Turn: t.ID,
	}, nil
}

// isInWords tells whether the current revision of a plan is in words.
func (b *Board) isInWords(h *heldPlan) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return h.revision.TextOnly
}

// takeWords checks and stores the approval of a plan in words, and has the plan
// drafted. That it is drafted is not stored: after a crash it waits again.
func (a *Agent) takeWords(ctx context.Context, h *heldPlan, d Decide) error {
	defer a.board.lock(h)()
	a.board.mu.Lock()
	err := h.ready(plan.ExecuteText)
	if err == nil {
		err = h.bind(d)
	}
	next, r := h.plan.Clone(), h.revision
	a.board.mu.Unlock()
	switch {
	case err != nil:
		return err
	case !r.TextOnly:
		return notAsShown(next.Number)
	case len(d.Paths)+len(d.Hunks) > 0 || d.Operation != "":
		return refuse(Invalid, "Plan %d is in words only and has no parts yet: approve it as a whole, then decide on the edits that come of it.", next.Number)
	}
	stored, err := a.store.Plan(ctx, a.workspaceKey(), next.Number)
	if err != nil {
		return a.board.kept(next.Number, err)
	}
	if kept, ok := stored.Revision(r.Number); !ok || plan.ApprovalHash(next.Number, kept) != r.Hash {
		return notAsShown(next.Number)
	}
	next.Updated = a.now().UTC()
	if err := a.store.Save(ctx, a.workspaceKey(), next, a.board.decision(h, d, plan.VerdictApprove, scope{whole: true})); err != nil {
		return a.board.kept(next.Number, err)
	}
	drafted := next.Clone()
	if err := drafted.Apply(plan.ExecuteText); err != nil {
		return refuse(WrongState, "Plan %d: %s", next.Number, err)
	}
	a.board.mu.Lock()
	defer a.board.mu.Unlock()
	h.before, h.plan = next.State, drafted
	h.revision, _ = drafted.Revision(r.Number)
	a.board.follow(h, h.before, plan.ExecuteText)
	a.board.changed(h)
	return nil
}

// workOut has the model work out a plan in words that was approved, whose plan is
// being drafted. A turn that makes nothing of it leaves the plan as it was.
func (a *Agent) workOut(ctx context.Context, w *work, h *heldPlan, d Decide) error {
	defer a.endRevision(h)
	w.revised = h
	a.conversations.Recollect(ctx, w.turn.Conversation)
	a.makeRoom(ctx, w)
	var err error
	if w.draft, err = a.draftFor(ctx, h); err != nil {
		return err
	}
	return a.workOutOf(ctx, w, h, d)
}

// workOutOf is workOut for who has opened the draft.
func (a *Agent) workOutOf(ctx context.Context, w *work, h *heldPlan, d Decide) error {
	words, err := a.workOutDraft(ctx, w, h)
	if err != nil || w.turn.Asked() {
		return err
	}
	a.board.mu.Lock()
	r, drift := h.revision, driftOf(h.plan, h.revision)
	a.board.mu.Unlock()
	if r.Number == words.Number { // nothing was staged, or it could not be stored yet
		if !h.waitsToBeKept(a) {
			a.addToAnswer(w.turn, fmt.Sprintf("Nothing was staged, so plan %d waits as it was.", h.plan.Number))
		}
		return nil
	}
	a.addToAnswer(w.turn, drift)
	if !w.undone.None() || w.continued != nil {
		return nil // what was cut short, or goes by what the user has said since, is for them to see
	}
	return a.lookTwice(ctx, w, h, r, d)
}

// workOutDraft has the model work on the draft of a plan in words, and makes a
// revision of it. It returns the words.
func (a *Agent) workOutDraft(ctx context.Context, w *work, h *heldPlan) (words *plan.Revision, err error) {
	a.board.mu.Lock()
	goal := h.plan.Goal
	words = h.revision
	steps := stepsInWords(h.plan, words)
	a.board.mu.Unlock()
	system := fmt.Sprintf("%s\n%s\n%s\nGoal: %s\n\n%s\n%s", a.prompt("system"), a.prompt("steps"), a.prompt("workout"), goal, words.Description, steps)
	messages, err := a.request(ctx, w, system)
	if err != nil {
		return words, err
	}
	env := a.env(w)
	runErr := a.converse(ctx, w, messages, a.unstaging(ctx, w, env, tool.All()), env, a.hooks(w))
	if ctx.Err() != nil {
		return words, ctx.Err()
	}
	if q := w.outcome.Asked; q != nil {
		return words, a.park(ctx, w, q)
	}
	return words, a.concludeTurn(ctx, w, runErr)
}

// wayWorkOut is the way of a plan in words whose working out goes on after a
// question. If it was decided otherwise meanwhile, it is a change like any other.
func (a *Agent) wayWorkOut(ctx context.Context, w *work) error {
	if err := a.openDraft(ctx, w); err != nil {
		return err
	}
	h := w.revised
	defer a.endRevision(h)
	if h == nil || !a.board.isInWords(h) {
		return a.changeDraft(ctx, w)
	}
	return a.workOutOf(ctx, w, h, Decide{})
}

// lookTwice approves what has come of a plan in words without asking again, if a
// rule of the user's own configuration says so. The rule is recorded as the
// approver. It approves edits only: a command of the revision was not in the words
// that the user approved, so it waits for a decision of its own, whatever rules
// there are on commands.
func (a *Agent) lookTwice(ctx context.Context, w *work, h *heldPlan, r *plan.Revision, d Decide) error {
	a.board.mu.Lock()
	drift, ok := h.plan.Drift(r)
	a.board.mu.Unlock()
	switch {
	case len(r.Changes) == 0:
		return nil
	case a.secondLook == SecondLookNever:
	case a.secondLook == SecondLookDrift && ok && drift.None():
	default:
		return nil
	}
	rule := "approval.second_look = " + a.secondLook
	result, err := a.decisions.Approve(ctx, Decide{
		Plan: h.plan.Number, Revision: r.Number, Hash: r.Hash, NoCommands: true, Who: "rule: " + rule, Client: d.Client,
		Reason: fmt.Sprintf("revision %d was approved in words", r.Parent),
	})
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		a.addToAnswer(w.turn, fmt.Sprintf("Your rule %s did not approve it: %s", rule, refusal.Reason))
		return nil
	}
	if err != nil {
		return err
	}
	left := 0
	w.turn.Update(func(r *conversation.Result) { r.Decided = plan.VerdictApprove })
	a.board.mu.Lock()
	left = len(h.plan.Runnable(r))
	a.board.mu.Unlock()
	a.addToAnswer(w.turn, fmt.Sprintf("By your rule %s: %s%s", rule, resultLine("approved", result), commandsWait(left)))
	return nil
}

// commandsWait says that n commands were not run, since the user has not seen them;
// "" for none.
func commandsWait(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " Its command was not shown before and waits for you."
	}
	return fmt.Sprintf(" Its %d commands were not shown before and wait for you.", n)
}

// addToAnswer adds a paragraph to what a turn answers.
func (a *Agent) addToAnswer(t *turn, text string) {
	if text == "" {
		return
	}
	t.Update(func(r *conversation.Result) {
		if r.Answer != "" {
			r.Answer += "\n\n"
		}
		r.Answer += text
	})
}

// waitsToBeKept tells whether a revision of the plan could not be stored yet.
func (h *heldPlan) waitsToBeKept(a *Agent) bool {
	defer a.board.lock(h)()
	return h.owed
}

// When a plan in words that was approved is looked at again, see
// Options.SecondLook.
const (
	SecondLookAlways = "always"
	SecondLookDrift  = "drift" // only if other files are touched than it let expect
	SecondLookNever  = "never"
)

package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/decision"
	"redline/agent/editor"
	"redline/agent/event"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
)

// The answers to an offer.
const (
	answerApprove = "Approve"
	answerReject  = "Reject"
	answerLater   = "Later"
)

// offer reports what is newly staged and asks the user about it, one operation after the
// other: while the turn goes on, or at once if the turn has to wait for the answers.
func (ts *parts) offer(ctx context.Context, k *stepwise, fresh []string) {
	h := k.held
	events := stagedEvents(h.Revision(), k.w.turn, fresh)
	start := ts.offers.add(h, fresh, k.w.turn, ts.session.Context().Err() == nil)
	for _, e := range events {
		ts.notify(e)
	}
	switch {
	case !start:
	case k.w.turn.request.AskAtOnce:
		ts.askAll(ctx, h)
	default:
		ts.session.Spawn(func() { ts.askAll(ts.session.Context(), h) })
	}
}

// ClearStaging drops the questions about a plan that were not asked yet. It may be called with
// any lock held.
func (ts *Turns) ClearStaging(h *board.Held) { ts.offers.clear(h) }

// stagedEvents returns the events that report operations of a revision, a hunk each.
func stagedEvents(r *plan.Revision, t *turn, operations []string) []event.Event {
	var events []event.Event
	for _, id := range operations {
		o, ok := r.Operation(id)
		if !ok {
			continue
		}
		e := event.Event{Kind: event.HunkStaged, Turn: t.ID, Conversation: t.Conversation.ID, Path: o.Path}
		n := len(events)
		for _, c := range r.Concerns(o) {
			for i := range c.Hunks {
				if slices.Contains(c.MakersOf(&c.Hunks[i]), id) {
					e.Path, e.Hunk = c.Path, c.Hunks[i].ID
					events = append(events, e)
				}
			}
		}
		if len(events) == n {
			events = append(events, e)
		}
	}
	return events
}

// askAll asks about the operations of a plan that are queued until none is left or ctx is
// done. An answer binds to what the user saw when the question was put.
func (ts *parts) askAll(ctx context.Context, h *board.Held) {
	for {
		o, q, d, ok := ts.nextOffer(h)
		if !ok {
			return
		}
		if ctx.Err() != nil {
			ts.offers.stop(h)
			return
		}
		answer, err := ts.session.Editor().Ask(ctx, q)
		if err != nil {
			continue // the editor is gone, and ctx with it; else it is asked about the next
		}
		if err := session.Contain(func() error { return ts.answered(ctx, h, o, d, answer) }); err != nil {
			ts.notify(event.Event{Kind: event.Noticed, Turn: o.turn.ID, Conversation: o.turn.Conversation.ID, PlanNumber: d.Plan, Error: phrase.SentenceOf(err)})
		}
	}
}

// nextOffer takes the next operation of which something is undecided, with the question and
// the decision that an answer means.
func (ts *parts) nextOffer(h *board.Held) (o offer, q editor.Question, d decision.Request, ok bool) {
	for {
		if o, ok = ts.offers.next(h); !ok {
			return offer{}, editor.Question{}, decision.Request{}, false
		}
		v := ts.board.View(h)
		op, known := v.Revision.Operation(o.operation)
		if !known || op.IsCommand() { // a command is decided on with the plan
			continue
		}
		d = decision.Request{Plan: h.Number(), Revision: v.Revision.Number, Hash: v.Revision.Hash, Operation: o.operation, Client: o.turn.request.Client}
		s, err := decision.Of(v, d, decision.Undecided)
		if err != nil || len(s.Parts) == 0 || !v.Plan.State.Open() {
			continue
		}
		return o, question(v, o, s), d, true
	}
}

// question says what one operation does.
func question(v *view.Plan, o offer, s decision.Scope) editor.Question {
	var files []string
	var detail strings.Builder
	for _, p := range s.Parts {
		c, path := p.File.Change, p.File.Path
		var ids []string
		added, removed := 0, 0
		for _, i := range p.Hunks {
			ids = append(ids, c.Hunks[i].ID)
			added, removed = added+c.Hunks[i].Added, removed+c.Hunks[i].Removed
		}
		var what string
		switch {
		case c.Action == plan.Create:
			what = fmt.Sprintf("create %s (+%d)", c.Path, added)
		case c.Action == plan.Delete:
			what = fmt.Sprintf("delete %s (−%d)", c.Path, removed)
		case p.Move:
			what = fmt.Sprintf("move %s to %s", c.Path, c.NewPath)
		default:
			what = fmt.Sprintf("change %s (%s, +%d −%d)", path, strings.Join(ids, ", "), added, removed)
		}
		files = append(files, what)
		detail.WriteString(partDiff(p, path))
	}
	again := ""
	if o.again {
		again = " The plan has grown since you were asked."
	}
	return editor.Question{
		Text:    fmt.Sprintf("Plan %d, revision %d: %s?%s", v.Plan.Number, v.Revision.Number, strings.Join(files, ", "), again),
		Detail:  detail.String(),
		Options: []string{answerApprove, answerReject, answerLater},
	}
}

// partDiff is what the part does to the file, which is at path now, as a unified
// diff. What is not in the part is not shown: the answer is about that alone.
func partDiff(p decision.Part, path string) string {
	c := p.File.Change
	switch {
	case c.Action == plan.Create || c.Action == plan.Delete:
		return c.Diff(p.File.Base, p.File.Proposed)
	case len(p.Hunks) == 0:
		return plan.MoveDiff(c.Path, c.NewPath)
	}
	to := path
	if p.Move {
		to = c.NewPath
	}
	all := c.Edits(p.File.Proposed)
	es := make([]edits.Edit, len(p.Hunks))
	for k, i := range p.Hunks {
		es[k] = all[i]
	}
	return edits.UnifiedOf("a/"+path, "b/"+to, p.File.Base, es, 3)
}

// answered carries out the user's answer. If the plan has got another revision since the
// question, the answer binds to nothing, and the user is asked again.
func (ts *parts) answered(ctx context.Context, h *board.Held, o offer, d decision.Request, answer editor.Answer) error {
	var text string
	var err error
	switch answer.Choice {
	case answerApprove:
		var r state.Result
		r, err = ts.decisions.Approve(ctx, d)
		text = resultLine("approved", r)
	case answerReject:
		_, err = ts.decisions.Reject(ctx, d)
		text = fmt.Sprintf("Plan %d: rejected.", d.Plan)
	default:
		return nil
	}
	if refused, ok := errors.AsType[*refusal.Error](err); ok && refused.Kind == refusal.HashMismatch && ts.askAgain(h, o, d) {
		return nil
	}
	if err != nil {
		return err
	}
	ts.notify(event.Event{Kind: event.Noticed, Turn: o.turn.ID, Conversation: o.turn.Conversation.ID, PlanNumber: d.Plan, Text: text})
	return nil
}

// askAgain puts an offer back whose answer came too late, and reports whether it has. A plan
// that still has the revision that was answered would refuse the answer again.
func (ts *parts) askAgain(h *board.Held, o offer, d decision.Request) bool {
	if h.Revision().Hash == d.Hash {
		return false
	}
	o.again = true
	ts.offers.putBack(h, o)
	return true
}

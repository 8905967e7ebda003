package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/agent/editor"
	"redline/agent/event"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/state"
	"redline/edits"
	"redline/internal/phrase"
)

// offer is an operation that the user is to be asked about.
type offer struct {
	operation string // its id
	turn      *turn
	again     bool // the plan has got another revision since it was asked
}

// The answers to an offer.
const (
	answerApprove = "Approve"
	answerReject  = "Reject"
	answerLater   = "Later"
)

// offer tells what is newly staged, and asks about it: one operation after the
// other, while the turn goes on; or at once, where the turn has to wait for
// the answers.
func (ts *Turns) offer(ctx context.Context, k *asking, fresh []string) {
	ts.board.mu.Lock()
	h := k.held
	events := h.stagedEvents(k.t, fresh)
	for _, id := range fresh {
		h.offers = append(h.offers, offer{operation: id, turn: k.t})
	}
	start := !h.offering && ts.root.Err() == nil
	h.offering = h.offering || start
	ts.board.mu.Unlock()
	for _, e := range events {
		ts.notify(e)
	}
	switch {
	case !start:
	case k.t.request.AskAtOnce:
		ts.askAll(ctx, h)
	default:
		ts.spawn(func() { ts.askAll(ts.root, h) })
	}
}

// stagedEvents are the events that tell of operations, a hunk each. The caller
// holds Board.mu.
func (h *heldPlan) stagedEvents(t *turn, operations []string) []event.Event {
	var events []event.Event
	for _, id := range operations {
		o, ok := h.revision().Operation(id)
		if !ok {
			continue
		}
		e := event.Event{Kind: event.HunkStaged, Turn: t.ID, Conversation: t.Conversation.ID, Path: o.Path}
		n := len(events)
		for _, c := range h.revision().Concerns(o) {
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

// askAll asks about what is on offer until nothing is left or ctx is done. An
// answer binds to what the user saw when the question was put.
func (ts *Turns) askAll(ctx context.Context, h *heldPlan) {
	for {
		ts.board.mu.Lock()
		o, q, d, ok := ts.nextOffer(h)
		if !ok || ctx.Err() != nil {
			h.offering = false
			ts.board.mu.Unlock()
			return
		}
		ts.board.mu.Unlock()
		answer, err := ts.session.Editor().Ask(ctx, q)
		if err != nil {
			continue // the editor is gone, and ctx with it; else it is asked about the next
		}
		if err := contained(func() error { return ts.answered(ctx, h, o, d, answer) }); err != nil {
			ts.notify(event.Event{Kind: event.Noticed, Turn: o.turn.ID, Conversation: o.turn.Conversation.ID, PlanNumber: d.Plan, Error: phrase.SentenceOf(err)})
		}
	}
}

// nextOffer takes the next operation of which something is undecided, with the
// question and the decision that an answer means. The caller holds Board.mu.
func (ts *Turns) nextOffer(h *heldPlan) (o offer, q editor.Question, d Decide, ok bool) {
	for len(h.offers) > 0 {
		o, h.offers = h.offers[0], h.offers[1:]
		op, known := h.revision().Operation(o.operation)
		if !known || op.IsCommand() { // a command is decided on with the plan
			continue
		}
		d = Decide{Plan: h.plan().Number, Revision: h.revision().Number, Hash: h.revision().Hash, Operation: o.operation, Client: o.turn.request.Client}
		s, err := scopeOf(ts.board.planView(h), d, undecided)
		if err != nil || len(s.parts) == 0 || !h.plan().State.Open() {
			continue
		}
		return o, ts.question(h, o, s), d, true
	}
	return offer{}, editor.Question{}, Decide{}, false
}

// question says what one operation does.
func (ts *Turns) question(h *heldPlan, o offer, s scope) editor.Question {
	var files []string
	var detail strings.Builder
	for _, p := range s.parts {
		c, path := p.file.Change, p.file.Path
		var ids []string
		added, removed := 0, 0
		for _, i := range p.hunks {
			ids = append(ids, c.Hunks[i].ID)
			added, removed = added+c.Hunks[i].Added, removed+c.Hunks[i].Removed
		}
		var what string
		switch {
		case c.Action == plan.Create:
			what = fmt.Sprintf("create %s (+%d)", c.Path, added)
		case c.Action == plan.Delete:
			what = fmt.Sprintf("delete %s (−%d)", c.Path, removed)
		case p.move:
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
		Text:    fmt.Sprintf("Plan %d, revision %d: %s?%s", h.plan().Number, h.revision().Number, strings.Join(files, ", "), again),
		Detail:  detail.String(),
		Options: []string{answerApprove, answerReject, answerLater},
	}
}

// partDiff is what the part does to the file, which is at path now, as a unified
// diff. What is not in the part is not shown: the answer is about that alone.
func partDiff(p part, path string) string {
	c := p.file.Change
	switch {
	case c.Action == plan.Create || c.Action == plan.Delete:
		return diffOfChange(c, p.file.Base, p.file.Proposed)
	case len(p.hunks) == 0:
		return moveDiff(c.Path, c.NewPath)
	}
	to := path
	if p.move {
		to = c.NewPath
	}
	all := c.Edits(p.file.Proposed)
	es := make([]edits.Edit, len(p.hunks))
	for k, i := range p.hunks {
		es[k] = all[i]
	}
	return edits.UnifiedOf("a/"+path, "b/"+to, p.file.Base, es, 3)
}

// answered does what the user has answered. Where the plan has got another
// revision since the question was put, the answer binds to nothing any more:
// the user is asked again.
func (ts *Turns) answered(ctx context.Context, h *heldPlan, o offer, d Decide, answer editor.Answer) error {
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

// askAgain puts an offer back whose answer came too late, and tells whether it
// did: a plan that has no other revision than the one that was answered would be
// refused the same way again.
func (ts *Turns) askAgain(h *heldPlan, o offer, d Decide) bool {
	ts.board.mu.Lock()
	defer ts.board.mu.Unlock()
	if h.revision().Hash == d.Hash {
		return false
	}
	o.again = true
	h.offers = slices.Insert(h.offers, 0, o)
	return true
}

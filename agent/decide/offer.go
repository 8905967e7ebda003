package decide

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/view"
	"redline/internal/phrase"
)

// The answers to a question.
const (
	answerApprove = "Approve"
	answerReject  = "Reject"
	answerLater   = "Later"
)

// Offers ask the user, in stepwise mode, about the operations of a plan one after the other, as a
// turn stages them. Their methods may be called from any goroutine.
type Offers struct {
	session   *session.Session
	board     *board.Board
	decisions *Decisions
	queue     *queue
}

// OfferTurn is the turn that has staged operations.
type OfferTurn struct {
	ID, Conversation string
	Client           string // the client that sent its message
	Waits            bool   // it continues only after the answers
}

// NewOffers makes the offers of a session.
func NewOffers(s *session.Session, b *board.Board, d *Decisions) *Offers {
	return &Offers{session: s, board: b, decisions: d, queue: newQueue()}
}

// Add reports newly staged operations of a plan and asks the user about them: in the
// background, or before it returns if the turn waits for the answers.
func (offers *Offers) Add(ctx context.Context, h *board.Held, operations []string, by OfferTurn) {
	events := stagedEvents(h.Revision(), by, operations)
	start := offers.queue.add(h, operations, by, !offers.session.Over())
	for _, e := range events {
		offers.session.Notify(e)
	}
	switch {
	case !start:
	case by.Waits:
		offers.askAll(ctx, h)
	default:
		offers.session.Spawn(func() { offers.askAll(offers.session.Context(), h) })
	}
}

// Clear drops the questions about a plan that were not asked yet. It may be called with any
// lock held.
func (offers *Offers) Clear(h *board.Held) { offers.queue.clear(h) }

// stagedEvents returns the events that report operations of a revision, a hunk each.
func stagedEvents(r *plan.Revision, by OfferTurn, operations []string) []state.Event {
	var events []state.Event
	for _, id := range operations {
		o, ok := r.Operation(id)
		if !ok {
			continue
		}
		e := state.Event{Kind: state.HunkStaged, Turn: by.ID, Conversation: by.Conversation, Path: o.Path}
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

// askAll asks about the queued operations of a plan until none is left or ctx is done. An
// answer binds to what the user saw with the question.
func (offers *Offers) askAll(ctx context.Context, h *board.Held) {
	for {
		o, ok := offers.queue.next(h)
		if !ok {
			return
		}
		q, d, undecided := offers.questionOn(h, o)
		if !undecided {
			continue
		}
		if ctx.Err() != nil {
			offers.queue.stop(h)
			return
		}
		answer, err := offers.session.Editor().Ask(ctx, q)
		if err != nil {
			continue // ctx ends with the editor; otherwise the next operation is asked about
		}
		if err := session.Contain(func() error { return offers.answered(ctx, h, o, d, answer) }); err != nil {
			offers.session.Notify(state.Event{Kind: state.Noticed, Turn: o.by.ID, Conversation: o.by.Conversation, PlanNumber: d.Plan, Error: phrase.SentenceOf(err)})
		}
	}
}

// questionOn returns the question about an operation and the decision that an answer means.
// undecided is false if nothing of the operation is left to decide on.
func (offers *Offers) questionOn(h *board.Held, o item) (q state.Question, d view.Request, undecided bool) {
	v := offers.board.View(h)
	op, known := v.Revision.Operation(o.operation)
	if !known || op.IsCommand() { // a command is decided on with the plan
		return q, d, false
	}
	d = view.Request{Plan: h.Number(), Revision: v.Revision.Number, Hash: v.Revision.Hash, Operation: o.operation, Way: view.ByChoice, Client: o.by.Client}
	s, err := view.ScopeOf(v, d, plan.HunkPending)
	if err != nil || len(s.Parts) == 0 || !v.Plan.State.Open() {
		return q, d, false
	}
	return question(v, o, s), d, true
}

// question describes one operation.
func question(v *view.Plan, o item, s view.Scope) state.Question {
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
		again = " has grown since you were asked"
	}
	return state.Question{
		Conversation: o.by.Conversation,
		Text:         fmt.Sprintf("Plan %d%s: %s?", v.Plan.Number, again, strings.Join(files, ", ")),
		Detail:       detail.String(),
		Options:      []string{answerApprove, answerReject, answerLater},
		Instead:      "approve or reject it where it is shown",
	}
}

// partDiff returns the unified diff of one part of a file that is at path now. It leaves out
// other parts, because the answer is about this part only.
func partDiff(p view.Part, path string) string {
	part := *p.File.Change
	if part.Action == plan.Create || part.Action == plan.Delete {
		return part.Diff(p.File.Base, p.File.Proposed)
	}
	part.Hunks = nil
	for _, i := range p.Hunks {
		part.Hunks = append(part.Hunks, p.File.Change.Hunks[i])
	}
	if part.Path = path; !p.Move {
		part.Action, part.NewPath = plan.Update, ""
	}
	return part.Diff(p.File.Base, p.File.Proposed)
}

// answered carries out the user's answer. If the plan has got another revision since the
// question, the answer is void, and the user is asked again. If the revision is the same, asking
// again would lead to the same refusal.
func (offers *Offers) answered(ctx context.Context, h *board.Held, o item, d view.Request, answer state.EditorAnswer) error {
	var text string
	var err error
	switch answer.Choice {
	case answerApprove:
		var r state.Result
		r, err = offers.decisions.Approve(ctx, d)
		text = r.Line("approved")
	case answerReject:
		_, err = offers.decisions.Reject(ctx, d)
		text = fmt.Sprintf("Plan %d: rejected.", d.Plan)
	default:
		return nil
	}
	if refused, ok := errors.AsType[*plan.Refusal](err); ok && refused.Kind == plan.HashMismatch && h.Revision().Hash != d.Hash {
		o.again = true
		offers.queue.putBack(h, o)
		return nil
	}
	if err != nil {
		return err
	}
	offers.session.Notify(state.Event{Kind: state.Noticed, Turn: o.by.ID, Conversation: o.by.Conversation, PlanNumber: d.Plan, Text: text})
	return nil
}

// item is an operation to ask the user about.
type item struct {
	operation string    // its id
	by        OfferTurn // the turn that staged it
	again     bool      // the plan has got another revision since the user was asked
}

// queue holds the operations to ask users about, by plan. At most one goroutine asks about those
// of a plan.
type queue struct {
	mu     sync.Mutex // while it is held, no other lock is taken and no question asked
	items  map[*board.Held][]item
	asking map[*board.Held]bool // a goroutine asks about them
}

func newQueue() *queue {
	return &queue{items: map[*board.Held][]item{}, asking: map[*board.Held]bool{}}
}

// add queues operations of a plan. start is true if ask is true and no goroutine asks about the
// plan yet: then the caller must ask until next returns false or it calls stop.
func (q *queue) add(h *board.Held, operations []string, by OfferTurn, ask bool) (start bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, id := range operations {
		q.items[h] = append(q.items[h], item{operation: id, by: by})
	}
	if start = ask && !q.asking[h]; start {
		q.asking[h] = true
	}
	return start
}

// next takes the next operation of a plan. If there is none it returns false, and records that
// no goroutine asks any more.
func (q *queue) next(h *board.Held) (next item, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items[h]
	if len(items) == 0 {
		delete(q.items, h)
		delete(q.asking, h)
		return item{}, false
	}
	q.items[h] = items[1:]
	return items[0], true
}

// stop records that no goroutine asks about a plan any more. Its queue stays.
func (q *queue) stop(h *board.Held) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.asking, h)
}

// putBack puts an operation that next returned back at the front of the queue.
func (q *queue) putBack(h *board.Held, again item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items[h] = slices.Insert(q.items[h], 0, again)
}

// clear drops the queued operations of a plan.
func (q *queue) clear(h *board.Held) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.items, h)
}

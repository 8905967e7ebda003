package agent

import (
	"context"
	"fmt"

	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/specialists"
	"redline/internal/phrase"
)

// turn is one message and all that it causes.
type turn struct {
	id      string
	message Message
	conv    *conversation
	ctx     context.Context
	cancel  context.CancelFunc
	done    chan struct{} // closed when it has ended
	left    chan struct{} // closed when its conversation is free again
	steps   []plan.Step   // of what it proposes, nil for one; the turn's goroutine sets it before the revision is made

	goalBefore string // of the plan that it changes though its message does not name it, "" for none; the turn's goroutine sets it

	// guarded by Agent.mu
	state  string
	answer string
	undone plan.Unfinished // what of it was left undone
	err    error
	usage  Usage
	told   int  // the place in the queue that was told last
	plan   int  // the plan that it made or changed
	asked  bool // the user was asked about each operation
	quiet  bool // nothing of it is written to the chat file

	decided plan.Verdict // see Event.Decided

	summary *specialists.Summary // of the specialists that worked, nil when none did

	waits      *waiting      // the question that it has asked, nil for none
	continued  *continuation // the question that it answers, nil for none
	remembered bool          // what was said in it is in the conversation's history
}

// The states of a turn.
const (
	turnQueued    = "queued"
	turnRunning   = "running"
	turnWaiting   = "waiting" // for the answer to its question: it has ended, and the answer is a turn that goes on
	turnDone      = "done"
	turnFailed    = "failed"
	turnCancelled = "cancelled"
)

func (a *Agent) newTurn(conv *conversation, m Message) *turn {
	a.lastTurn++
	t := &turn{
		id: fmt.Sprintf("t%d", a.lastTurn), message: m, conv: conv,
		done: make(chan struct{}), left: make(chan struct{}), state: turnQueued,
	}
	t.ctx, t.cancel = context.WithCancel(a.root)
	t.ctx = a.traces.Begin(t.ctx, t.id, conv.id, t.message.own())
	if len(a.turns) >= maxTurns && a.turns[0].ended() {
		a.turns = a.turns[1:]
	}
	a.turns = append(a.turns, t)
	a.snapshot = nil
	return t
}

// maxTurns is how many turns a session remembers.
const maxTurns = 500

func (t *turn) ended() bool { return t.state != turnQueued && t.state != turnRunning }

// start runs a turn's work on a goroutine of its own, records and tells how it
// ended, then calls after. The caller holds a.mu.
func (a *Agent) start(t *turn, work func(context.Context) error, after func()) {
	t.state = turnRunning
	a.snapshot = nil
	a.spawn(func() {
		defer close(t.left)
		defer after()
		defer t.cancel()
		a.notify(Event{Kind: TurnStarted, Turn: t.id, Conversation: t.conv.id, Summary: phrase.FirstLine(t.message.Text, 120)})
		a.finish(t, contained(func() error { return work(model.Labelled(t.ctx, t.id)) }))
	})
}

// finish records the end of a turn and tells it.
func (a *Agent) finish(t *turn, err error) {
	cancelled := t.ctx.Err() != nil
	var e Event
	waits := t.waits
	if waits != nil && cancelled && a.root.Err() == nil {
		a.giveUpQuietly(waits)
	}
	a.update(func() {
		switch {
		case waits != nil && t.conv.waiting == waits:
			t.state = turnWaiting
		case cancelled:
			t.state, t.err = turnCancelled, nil
		case err != nil:
			t.state, t.err = turnFailed, err
		default:
			t.state = turnDone
		}
		t.message.textWhenAsked = "" // a whole file, of no more use
		usage := t.usage
		e = Event{
			Kind: TurnFinished, Turn: t.id, Conversation: t.conv.id, PlanNumber: t.plan,
			Answer: t.answer, Usage: &usage, State: t.state, Asked: t.asked,
			Decided: t.decided, Specialists: t.summary, Unfinished: t.undone.Sentences(),
		}
		if t.state == turnWaiting {
			e.Text, e.Options = waits.parked.Question, waits.parked.Options
		}
		if t.err != nil {
			e.Error = phrase.SentenceOf(t.err)
		}
	})
	if e.Error != "" {
		a.logFailure(t, err)
	}
	a.notify(e)
	a.traces.Keep(t.id)
	close(t.done)
	if e.State == turnWaiting { // answered meanwhile, it is over at once
		a.putQuestion(waits)
	}
	if t.quiet {
		return
	}
	if err := contained(func() error { return a.appendToChat(t, e) }); err != nil {
		a.log.Warn("the answer could not be written to the chat file", errorField(err))
	}
}

// update changes what a.mu guards; the next snapshot shows it.
func (a *Agent) update(change func()) {
	a.mu.Lock()
	change()
	a.snapshot = nil
	a.mu.Unlock()
}

// Wait blocks until a turn has ended and returns what came of it.
func (a *Agent) Wait(ctx context.Context, id string) (TurnState, error) {
	a.mu.Lock()
	var found *turn
	for _, t := range a.turns {
		if t.id == id {
			found = t
		}
	}
	a.mu.Unlock()
	if found == nil {
		return TurnState{}, refuse(Invalid, "There is no turn %s in this session.", id)
	}
	select {
	case <-found.done:
		a.mu.Lock()
		defer a.mu.Unlock()
		return found.asState(), nil
	case <-ctx.Done():
		return TurnState{}, ctx.Err()
	}
}

// Failure returns the error that a turn ended with, nil if it did not fail.
func (a *Agent) Failure(id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.turns {
		if t.id == id {
			return t.err
		}
	}
	return nil
}

func (t *turn) asState() TurnState {
	s := TurnState{Turn: t.id, Conversation: t.conv.id, State: t.state, Usage: t.usage, Message: phrase.FirstLine(t.message.Text, 120), Place: t.place(), Specialists: t.summary, Unfinished: t.undone.Sentences()}
	if t.answer != "" {
		answer := t.answer
		s.Answer = &answer
	}
	if t.err != nil {
		text := phrase.SentenceOf(t.err)
		s.Error = &text
	}
	if t.state == turnWaiting {
		s.Question, s.Options = &t.waits.parked.Question, t.waits.parked.Options
	}
	return s
}

// notify is [session.Session.Notify].
func (a *Agent) notify(e Event) { a.session.Notify(e) }

// PlanOf returns the number of the plan that a turn made or changed, 0 for none.
func (a *Agent) PlanOf(id string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.turns {
		if t.id == id {
			return t.plan
		}
	}
	return 0
}

package conversation

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"redline/agent/event"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/session"
	"redline/agent/specialists"
	"redline/agent/state"
	"redline/internal/phrase"
)

// Turn is one message and all that it causes.
type Turn struct {
	ID           string
	Request      Request
	Conversation *Conversation
	Quiet        bool // the chat file gets nothing of it

	owner  *Conversations
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // closed when the turn has ended
	free   chan struct{} // closed when the conversation is free for the next turn

	// guarded by Conversations.mu
	state  string
	result Result
	err    error
	told   int      // the place in the queue that the last event had
	asked  *Waiting // the question that the turn has asked, nil for none
}

// Result is the result of a turn so far.
type Result struct {
	Answer      string
	Plan        int // the plan that it made or changed, 0 for none
	Usage       state.Usage
	Unfinished  plan.Unfinished      // what it has left undone
	Specialists *specialists.Summary // what specialists did, nil if none worked
	AskedEach   bool                 // the user was asked about each operation as it was staged
	Decided     plan.Verdict         // the decision that the message made: an approval or an undo; "" for none
	Remembered  bool                 // the conversation's memory has the request and the answer
}

// The states of a turn.
const (
	Queued    = "queued"
	Running   = "running"
	Waits     = "waiting" // ended with a question; the answer is a new turn, which continues
	Done      = "done"
	Failed    = "failed"
	Cancelled = "cancelled"
)

// maxTurns is how many turns a session remembers.
const maxTurns = 500

// newTurn adds a turn. The caller holds c.mu.
func (c *Conversations) newTurn(conv *Conversation, r Request) *Turn {
	c.lastTurn++
	t := &Turn{
		ID: fmt.Sprintf("t%d", c.lastTurn), Request: r, Conversation: conv, owner: c,
		done: make(chan struct{}), free: make(chan struct{}), state: Queued,
	}
	t.ctx, t.cancel = context.WithCancel(c.session.Context())
	t.ctx = c.traces.Begin(t.ctx, t.ID, conv.ID, r.Own())
	if len(c.turns) >= maxTurns && c.turns[0].ended() {
		c.turns = c.turns[1:]
	}
	c.turns = append(c.turns, t)
	c.changes++
	return t
}

// ended reports whether the turn has ended. The caller holds Conversations.mu.
func (t *Turn) ended() bool { return t.state != Queued && t.state != Running }

// Event returns an event of the turn.
func (t *Turn) Event(kind event.Kind) event.Event {
	return event.Event{Kind: kind, Turn: t.ID, Conversation: t.Conversation.ID}
}

// Notice notifies the user with a sentence.
func (t *Turn) Notice(text string) {
	e := t.Event(event.Noticed)
	e.Text = text
	t.owner.session.Notify(e)
}

// Warn notifies the user with a sentence on what went wrong.
func (t *Turn) Warn(text string) {
	e := t.Event(event.Noticed)
	e.Error = text
	t.owner.session.Notify(e)
}

// Update changes the result of the turn.
func (t *Turn) Update(change func(*Result)) {
	t.owner.mu.Lock()
	defer t.owner.mu.Unlock()
	change(&t.result)
	t.owner.changes++
}

// Result returns the result of the turn so far.
func (t *Turn) Result() Result {
	t.owner.mu.Lock()
	defer t.owner.mu.Unlock()
	return t.result
}

// Asked reports whether the turn has asked its user a question.
func (t *Turn) Asked() bool {
	t.owner.mu.Lock()
	defer t.owner.mu.Unlock()
	return t.asked != nil
}

// Cancelled reports whether the turn was cancelled while the session goes on.
func (t *Turn) Cancelled() bool { return t.ctx.Err() != nil && !t.owner.session.Over() }

// start runs the work of a turn on a goroutine of its own, records how it ended, sends the
// event of its end, and calls after. The caller holds c.mu.
func (c *Conversations) start(t *Turn, work func(context.Context, *Turn) error, after func()) {
	t.state = Running
	c.changes++
	c.session.Spawn(func() {
		defer close(t.free)
		defer after()
		defer t.cancel()
		e := t.Event(event.TurnStarted)
		e.Summary = phrase.FirstLine(t.Request.Text, 120)
		c.session.Notify(e)
		c.finish(t, session.Contain(func() error { return work(model.Labelled(t.ctx, t.ID), t) }))
	})
}

// finish records the end of a turn and sends the event of it. err is the error of its
// work.
func (c *Conversations) finish(t *Turn, err error) {
	cancelled := t.ctx.Err() != nil
	c.mu.Lock()
	asked := t.asked
	c.mu.Unlock()
	if asked != nil && cancelled && !c.session.Over() {
		asked.giveUp()
	}
	c.mu.Lock()
	switch {
	case asked != nil && t.Conversation.waiting == asked:
		t.state = Waits
	case cancelled, asked != nil && t.state == Cancelled: // its question may have been given up already
		t.state, t.err = Cancelled, nil
	case err != nil:
		t.state, t.err = Failed, err
	default:
		t.state = Done
	}
	t.Request.TextWhenAsked = "" // a whole file, no longer needed
	e := t.endEvent()
	c.changes++
	c.mu.Unlock()
	if e.Error != "" {
		c.LogFailure(t, err)
	}
	c.session.Notify(e)
	c.traces.Keep(t.ID)
	close(t.done)
	if e.State == Waits { // returns at once if the question has been answered already
		asked.ask()
	}
	if !t.Quiet {
		c.hooks.Ended(t, e)
	}
}

// endEvent returns the event of the turn's end. The caller holds Conversations.mu.
func (t *Turn) endEvent() event.Event {
	e := t.Event(event.TurnFinished)
	usage := t.result.Usage
	e.PlanNumber, e.Answer, e.Usage, e.State = t.result.Plan, t.result.Answer, &usage, t.state
	e.Asked, e.Decided, e.Specialists = t.result.AskedEach, t.result.Decided, t.result.Specialists
	e.Unfinished = t.result.Unfinished.Sentences()
	if t.state == Waits {
		e.Text, e.Options = t.asked.Question.Text, t.asked.Question.Options
	}
	if t.err != nil {
		e.Error = phrase.SentenceOf(t.err)
	}
	return e
}

// LogFailure logs the error of a turn, and where a panic was.
func (c *Conversations) LogFailure(t *Turn, err error) {
	if !c.session.LogPanic("a turn panicked", err, zap.String("turn", t.ID)) {
		c.session.Log.Info("a turn failed", zap.String("turn", t.ID), zap.Error(err))
	}
}

// find returns a turn of this session, nil if there is none.
func (c *Conversations) find(id string) *Turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.turns {
		if t.ID == id {
			return t
		}
	}
	return nil
}

// Wait waits until a turn has ended and returns its state. It fails when ctx ends.
func (c *Conversations) Wait(ctx context.Context, id string) (state.Turn, error) {
	t := c.find(id)
	if t == nil {
		return state.Turn{}, refusal.New(refusal.Invalid, "There is no turn %s in this session.", id)
	}
	select {
	case <-t.done:
		c.mu.Lock()
		defer c.mu.Unlock()
		return t.asState(), nil
	case <-ctx.Done():
		return state.Turn{}, ctx.Err()
	}
}

// Failure returns the error that a turn ended with, nil if it did not fail.
func (c *Conversations) Failure(id string) error {
	t := c.find(id)
	if t == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return t.err
}

// PlanOf returns the number of the plan that a turn made or changed, 0 for none.
func (c *Conversations) PlanOf(id string) int {
	t := c.find(id)
	if t == nil {
		return 0
	}
	return t.Result().Plan
}

// States returns the turns of this session, newest last.
func (c *Conversations) States() []state.Turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]state.Turn, 0, len(c.turns))
	for _, t := range c.turns {
		all = append(all, t.asState())
	}
	return all
}

// Running returns the turns that are queued or running, oldest first, and a number that
// differs after each change to a turn. The slice must not be changed.
func (c *Conversations) Running() (turns []state.Turn, changes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runningAt != c.changes {
		c.running, c.runningAt = nil, c.changes
		for _, t := range c.turns {
			if !t.ended() {
				c.running = append(c.running, t.asState())
			}
		}
	}
	return c.running, c.changes
}

// Busy reports whether a turn is queued or running.
func (c *Conversations) Busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.turns {
		if !t.ended() {
			return true
		}
	}
	return false
}

// Used returns the tokens that the turns of this session have used, and what they cost.
func (c *Conversations) Used() (sum state.Usage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.turns {
		sum.Prompt += t.result.Usage.Prompt
		sum.Completion += t.result.Usage.Completion
		sum.Cost += t.result.Usage.Cost
	}
	return sum
}

// asState returns the turn as clients see it. The caller holds Conversations.mu.
func (t *Turn) asState() state.Turn {
	s := state.Turn{
		Turn: t.ID, Conversation: t.Conversation.ID, State: t.state, Usage: t.result.Usage, Message: phrase.FirstLine(t.Request.Text, 120),
		Place: t.place(), Specialists: t.result.Specialists, Unfinished: t.result.Unfinished.Sentences(),
	}
	if t.result.Answer != "" {
		answer := t.result.Answer
		s.Answer = &answer
	}
	if t.err != nil {
		text := phrase.SentenceOf(t.err)
		s.Error = &text
	}
	if t.state == Waits {
		s.Question, s.Options = &t.asked.Question.Text, t.asked.Question.Options
	}
	return s
}

package conversation

import (
	"context"

	"go.uber.org/zap"

	"redline/agent/event"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/session"
	"redline/agent/specialists"
	"redline/agent/state"
	"redline/internal/guarded"
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

	progress guarded.Value[progress]
}

// progress is what changes of a turn.
type progress struct {
	state  string
	result Result
	err    error
	told   int      // the place in the queue that the last event had
	asked  *Waiting // the question that the turn has asked, nil for none
}

func (p *progress) ended() bool { return p.state != Queued && p.state != Running }

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
	s := t.owner.lock()
	defer s.unlock()
	change(&s.progress(t).result)
	s.changes++
}

// Result returns the result of the turn so far.
func (t *Turn) Result() Result {
	s := t.owner.lock()
	defer s.unlock()
	return s.progress(t).result
}

// Asked reports whether the turn has asked its user a question.
func (t *Turn) Asked() bool {
	s := t.owner.lock()
	defer s.unlock()
	return s.progress(t).asked != nil
}

// Cancelled reports whether the turn was cancelled while the session goes on.
func (t *Turn) Cancelled() bool { return t.ctx.Err() != nil && !t.owner.session.Over() }

// start runs the work of a turn on a goroutine of its own, records how it ended, sends the
// event of its end, and calls after.
func (s locked) start(t *Turn, work func(context.Context, *Turn) error, after func()) {
	s.progress(t).state = Running
	s.changes++
	c := s.c
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
	s := c.lock()
	asked := s.progress(t).asked
	s.unlock()
	if asked != nil && cancelled && !c.session.Over() {
		asked.giveUp()
	}
	s = c.lock()
	s.end(t, cancelled, err)
	e := s.endEvent(t)
	s.unlock()
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

// end sets the state in which a turn has ended.
func (s locked) end(t *Turn, cancelled bool, err error) {
	p := s.progress(t)
	switch {
	case p.asked != nil && s.thread(t.Conversation).waiting == p.asked:
		p.state = Waits
	case cancelled, p.asked != nil && p.state == Cancelled: // its question may have been given up already
		p.state, p.err = Cancelled, nil
	case err != nil:
		p.state, p.err = Failed, err
	default:
		p.state = Done
	}
	t.Request.TextWhenAsked = "" // a whole file, no longer needed
	s.changes++
}

// endEvent returns the event of the turn's end.
func (s locked) endEvent(t *Turn) event.Event {
	e, p := t.Event(event.TurnFinished), s.progress(t)
	usage := p.result.Usage
	e.PlanNumber, e.Answer, e.Usage, e.State = p.result.Plan, p.result.Answer, &usage, p.state
	e.Asked, e.Decided, e.Specialists = p.result.AskedEach, p.result.Decided, p.result.Specialists
	e.Unfinished = p.result.Unfinished.Sentences()
	if p.state == Waits {
		e.Text, e.Options = p.asked.Question.Text, p.asked.Question.Options
	}
	if p.err != nil {
		e.Error = phrase.SentenceOf(p.err)
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
	s := c.lock()
	defer s.unlock()
	for _, t := range s.turns {
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
		s := c.lock()
		defer s.unlock()
		return s.stateOf(t), nil
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
	s := c.lock()
	defer s.unlock()
	return s.progress(t).err
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
	s := c.lock()
	defer s.unlock()
	all := make([]state.Turn, 0, len(s.turns))
	for _, t := range s.turns {
		all = append(all, s.stateOf(t))
	}
	return all
}

// Running returns the turns that are queued or running, oldest first, and a number that
// differs after each change to a turn. The slice must not be changed.
func (c *Conversations) Running() (turns []state.Turn, changes int) {
	s := c.lock()
	defer s.unlock()
	if s.runningAt != s.changes {
		s.running, s.runningAt = nil, s.changes
		for _, t := range s.turns {
			if !s.ended(t) {
				s.running = append(s.running, s.stateOf(t))
			}
		}
	}
	return s.running, s.changes
}

// Busy reports whether a turn is queued or running.
func (c *Conversations) Busy() bool {
	s := c.lock()
	defer s.unlock()
	for _, t := range s.turns {
		if !s.ended(t) {
			return true
		}
	}
	return false
}

// Used returns the tokens that the turns of this session have used, and what they cost.
func (c *Conversations) Used() (sum state.Usage) {
	s := c.lock()
	defer s.unlock()
	for _, t := range s.turns {
		used := s.progress(t).result.Usage
		sum.Prompt += used.Prompt
		sum.Completion += used.Completion
		sum.Cost += used.Cost
	}
	return sum
}

// stateOf returns a turn as clients see it.
func (s locked) stateOf(t *Turn) state.Turn {
	p := s.progress(t)
	now := state.Turn{
		Turn: t.ID, Conversation: t.Conversation.ID, State: p.state, Usage: p.result.Usage, Message: phrase.FirstLine(t.Request.Text, 120),
		Place: s.place(t), Specialists: p.result.Specialists, Unfinished: p.result.Unfinished.Sentences(),
	}
	if p.result.Answer != "" {
		answer := p.result.Answer
		now.Answer = &answer
	}
	if p.err != nil {
		text := phrase.SentenceOf(p.err)
		now.Error = &text
	}
	if p.state == Waits {
		now.Question, now.Options = &p.asked.Question.Text, p.asked.Question.Options
	}
	return now
}

package conversation

import (
	"context"

	"redline/agent/event"
	"redline/agent/plan"
	"redline/agent/specialists"
	"redline/agent/state"
	"redline/internal/guarded"
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

package conversation

import (
	"context"

	"go.uber.org/zap"
)

// Answering is a question whose answer a turn works out.
type Answering struct {
	ID int64 // in the store, 0 for none

	owner *Conversations
	was   *Waiting
}

// Answer begins to work out the answer that a turn's message is. It returns
// [ErrAnswered] if another process has done so.
func (c *Conversations) Answer(ctx context.Context, t *Turn) (*Answering, error) {
	w := t.Request.Answers
	c.mu.Lock()
	a := &Answering{ID: w.id, owner: c, was: w}
	c.mu.Unlock()
	if a.ID != 0 {
		ok, err := c.session.Store.Answering(ctx, a.ID)
		if err == nil && !ok {
			err = ErrAnswered
		}
		if err != nil {
			return a, err
		}
	}
	return a, nil
}

// Replaced ends the question, since another one of the same request has taken its
// place.
func (a *Answering) Replaced() { a.owner.session.Store.Unanswered(a.ID) }

// Done removes the question: its answer was worked out, or given up.
func (a *Answering) Done() {
	s := a.owner.session
	if err := s.Store.Answered(context.WithoutCancel(s.Context()), a.ID); err != nil {
		s.Log.Warn("a question that was answered could not be removed", zap.Error(err))
	}
}

// WaitAgain has the question wait once more, since turn t could not work its answer out.
// What was staged before it is kept.
func (a *Answering) WaitAgain(t *Turn) {
	c := a.owner
	if a.ID != 0 {
		c.session.Store.Unanswered(a.ID)
	}
	w := a.was.turn.wait(a.was.Question, a.ID)
	c.mu.Lock()
	again := t.Conversation.waiting == nil
	if again {
		t.Conversation.waiting, w.turn.asked, w.turn.state = w, w, Waits
		c.changes++
	}
	c.mu.Unlock()
	if again && !c.session.Over() {
		t.Notice("The question waits again, and what was staged before it is kept: answer it once more, or give it up with /cancel.")
	}
}

// FindWaiting brings the session up to the questions that the store has: those of an
// earlier session wait again, and a question that was answered elsewhere waits no more.
// first says that the session begins.
func (c *Conversations) FindWaiting(ctx context.Context, first bool) error {
	stored, err := c.session.Store.Questions(ctx, c.session.Key())
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := map[int64]bool{}
	found := map[string]bool{} // clients whose current conversation is one of these
	for _, q := range stored {
		known[q.ID] = true
		conv := c.byID[q.Conversation]
		if conv != nil && (conv.waiting != nil && conv.waiting.id == q.ID || conv.busy || len(conv.queue) > 0) {
			continue
		}
		asked, err := c.hooks.Read(q.Record)
		if err != nil {
			c.session.Log.Error("a question could not be read", zap.Error(err))
			continue
		}
		conv = c.byName(q.Conversation)
		t := c.newTurn(conv, asked.Request)
		t.state, t.result.Answer = Waits, asked.Told
		close(t.done)
		close(t.free)
		w := t.wait(asked, q.ID)
		t.asked, conv.waiting = w, w
		if client := asked.Request.Client; first && (found[client] || c.current[client] == "") {
			c.current[client], found[client] = conv.ID, true // who was asked goes on there
		}
	}
	for _, conv := range c.byID {
		if w := conv.waiting; w != nil && w.id != 0 && !known[w.id] && w.turn.state == Waits {
			conv.waiting = nil
			w.end()
			w.turn.state = Done
			c.changes++
		}
	}
	return nil
}

// Remind tells, after a start, which turns were cut off, and the questions that wait,
// and has the editor put these.
func (c *Conversations) Remind() {
	c.tellCutOff()
	c.mu.Lock()
	var all []*Waiting
	for _, t := range c.turns {
		if t.state == Waits && t.Conversation.waiting == t.asked {
			all = append(all, t.asked)
		}
	}
	c.mu.Unlock()
	for _, w := range all {
		w.notify()
		w.ask()
	}
}

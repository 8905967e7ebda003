package conversation

import (
	"context"

	"go.uber.org/zap"

	"redline/agent/store"
)

// Answering is a question that a turn is working on, now that the user has answered it.
type Answering struct {
	ID int64 // in the store, 0 for none

	owner *Conversations
	was   *Waiting
}

// Answer begins the work on a question whose answer is a turn's message. It returns
// [ErrAnswered] if another process works on it or has done so.
func (c *Conversations) Answer(ctx context.Context, t *Turn) (*Answering, error) {
	w := t.Request.Answers
	c.mu.Lock()
	w.closed = true
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

// Replaced ends the question: the turn has asked another one about the same request.
func (a *Answering) Replaced() { a.owner.session.Store.Unanswered(a.ID) }

// Done removes the question from the store: the work is done, or was given up.
func (a *Answering) Done() {
	if a.ID == 0 {
		return
	}
	a.owner.mu.Lock()
	a.owner.closed[a.ID] = true
	a.owner.mu.Unlock()
	s := a.owner.session
	if err := s.Store.Answered(context.WithoutCancel(s.Context()), a.ID); err != nil {
		s.Log.Warn("a question that was answered could not be removed", zap.Error(err))
	}
}

// WaitAgain makes the question wait for an answer again, since turn t has failed. What was
// staged before the question stays.
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
	if again && a.ID == 0 {
		if err := w.keep(context.WithoutCancel(c.session.Context())); err != nil {
			c.session.Log.Warn("a question that waits again could not be stored", zap.Error(err))
		}
	}
	if again && !c.session.Over() {
		t.Notice("The question waits again, and what was staged before it is kept: answer it once more, or give it up with /cancel.")
	}
}

// ReadQuestions reads the questions that wait from the store: those of an earlier session
// wait here from then on, and one that was answered in another session no longer does.
// first says that the session begins.
func (c *Conversations) ReadQuestions(ctx context.Context, first bool) error {
	waited := c.waitingStored() // before the store is read: a question that is asked meanwhile is not missed there
	stored, err := c.session.Store.Questions(ctx, c.session.Key())
	if err != nil {
		return err
	}
	found := map[string]bool{} // clients whose current conversation is one of these
	for _, q := range stored {
		delete(waited, q.ID)
		c.mu.Lock()
		known := c.knows(q)
		c.mu.Unlock()
		if known {
			continue
		}
		asked, err := c.hooks.Read(q.Record)
		if err != nil {
			c.session.Log.Error("a question could not be read", zap.Error(err))
			continue
		}
		c.mu.Lock()
		client := asked.Request.Client
		if !c.knows(q) {
			c.waitFor(q, asked)
			if first && (found[client] || c.current[client] == "") {
				c.current[client], found[client] = q.Conversation, true // the client continues there
			}
		}
		c.mu.Unlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range waited {
		if conv := w.turn.Conversation; conv.waiting == w {
			conv.waiting = nil
			w.end()
			w.turn.state = Done
			c.changes++
		}
	}
	return nil
}

// waitingStored returns the questions that wait and are stored, by their ids in the store.
func (c *Conversations) waitingStored() map[int64]*Waiting {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[int64]*Waiting{}
	for _, conv := range c.byID {
		if w := conv.waiting; w != nil && w.id != 0 && w.turn.state == Waits {
			all[w.id] = w
		}
	}
	return all
}

// knows reports whether a stored question waits here already, was settled by this session,
// or is of a conversation that has work to do. The caller holds c.mu.
func (c *Conversations) knows(q store.Question) bool {
	if c.closed[q.ID] {
		return true
	}
	conv := c.byID[q.Conversation]
	return conv != nil && (conv.waiting != nil && conv.waiting.id == q.ID || conv.busy || len(conv.queue) > 0)
}

// waitFor makes a stored question of another session wait here. The caller holds c.mu.
func (c *Conversations) waitFor(q store.Question, asked Question) {
	conv := c.byName(q.Conversation)
	t := c.newTurn(conv, asked.Request)
	t.state, t.result.Answer = Waits, asked.Shown
	close(t.done)
	close(t.free)
	w := t.wait(asked, q.ID)
	t.asked, conv.waiting = w, w
}

// Remind notifies the user at the start of a session of turns that were cut off and of
// questions that wait, and asks these in the editor.
func (c *Conversations) Remind() {
	notifyCutOff(c.session)
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

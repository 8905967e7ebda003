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
	s := c.lock()
	now := s.stored(w)
	now.closed = true
	a := &Answering{ID: now.id, owner: c, was: w}
	s.unlock()
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
	s := a.owner.lock()
	s.closed[a.ID] = true
	s.unlock()
	in := a.owner.session
	if err := in.Store.Answered(context.WithoutCancel(in.Context()), a.ID); err != nil {
		in.Log.Warn("a question that was answered could not be removed", zap.Error(err))
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
	again := c.waitAgain(t.Conversation, w)
	if again && a.ID == 0 {
		if err := w.keep(context.WithoutCancel(c.session.Context())); err != nil {
			c.session.Log.Warn("a question that waits again could not be stored", zap.Error(err))
		}
	}
	if again && !c.session.Over() {
		t.Notice("The question waits again, and what was staged before it is kept: answer it once more, or give it up with /cancel.")
	}
}

// waitAgain makes a question wait in a conversation, unless another one waits there.
func (c *Conversations) waitAgain(conv *Conversation, w *Waiting) bool {
	s := c.lock()
	defer s.unlock()
	if s.thread(conv).waiting != nil {
		return false
	}
	asked := s.progress(w.turn)
	s.thread(conv).waiting, asked.asked, asked.state = w, w, Waits
	s.changes++
	return true
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
		if c.knows(q) {
			continue
		}
		asked, err := c.hooks.Read(q.Record)
		if err != nil {
			c.session.Log.Error("a question could not be read", zap.Error(err))
			continue
		}
		client := asked.Request.Client
		s := c.lock()
		if !s.knows(q) {
			s.waitFor(q, asked)
			if first && (found[client] || s.current[client] == "") {
				s.current[client], found[client] = q.Conversation, true // the client continues there
			}
		}
		s.unlock()
	}
	s := c.lock()
	defer s.unlock()
	for _, w := range waited {
		s.answeredElsewhere(w)
	}
	return nil
}

// answeredElsewhere ends a question that another session has answered or given up.
func (s locked) answeredElsewhere(w *Waiting) {
	if !s.thread(w.turn.Conversation).settle(w) {
		return
	}
	w.end()
	s.progress(w.turn).state = Done
	s.changes++
}

// waitingStored returns the questions that wait and are stored, by their ids in the store.
func (c *Conversations) waitingStored() map[int64]*Waiting {
	s := c.lock()
	defer s.unlock()
	all := map[int64]*Waiting{}
	for _, conv := range s.conversations {
		w := s.thread(conv).waiting
		if w == nil || s.progress(w.turn).state != Waits {
			continue
		}
		if id := s.stored(w).id; id != 0 {
			all[id] = w
		}
	}
	return all
}

// knows reports whether a stored question waits here already, was settled by this session,
// or is of a conversation that has work to do.
func (c *Conversations) knows(q store.Question) bool {
	s := c.lock()
	defer s.unlock()
	return s.knows(q)
}

func (s locked) knows(q store.Question) bool {
	if s.closed[q.ID] {
		return true
	}
	conv := s.conversations[q.Conversation]
	if conv == nil {
		return false
	}
	th := s.thread(conv)
	return th.waiting != nil && s.stored(th.waiting).id == q.ID || th.busy || len(th.queue) > 0
}

// waitFor makes a stored question of another session wait here.
func (s locked) waitFor(q store.Question, asked Question) {
	conv := s.conversation(q.Conversation)
	t := s.newTurn(conv, asked.Request)
	close(t.done)
	close(t.free)
	w, p := t.wait(asked, q.ID), s.progress(t)
	p.state, p.result.Answer, p.asked = Waits, asked.Shown, w
	s.thread(conv).waiting = w
}

// Remind notifies the user at the start of a session of turns that were cut off and of
// questions that wait, and asks these in the editor.
func (c *Conversations) Remind() {
	notifyCutOff(c.session)
	s := c.lock()
	var all []*Waiting
	for _, t := range s.turns {
		if p := s.progress(t); p.state == Waits && s.thread(t.Conversation).waiting == p.asked {
			all = append(all, p.asked)
		}
	}
	s.unlock()
	for _, w := range all {
		w.notify()
		w.ask()
	}
}

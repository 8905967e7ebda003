package conversation

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/internal/phrase"

	"go.uber.org/zap"
)

// Answering is a question that a turn works on after the user's answer.
type Answering struct {
	ID int64 // id in the store, 0 for none

	owner *Conversations
	was   *Waiting
}

// Answer begins the work on a question whose answer is a turn's message. It returns
// [ErrAnswered] if another process works on it or has finished.
func (c *Conversations) Answer(ctx context.Context, t *Turn) (*Answering, error) {
	w := t.Request.Answers
	s := c.lock()
	now := s.stored(w)
	now.closed = true
	a := &Answering{ID: now.id, owner: c, was: w}
	s.unlock()
	if a.ID == 0 {
		return a, nil
	}
	ok, err := c.session.Store.Answering(ctx, a.ID)
	if err == nil && !ok {
		err = ErrAnswered
	}
	return a, err
}

// Replaced ends the question, because the turn has asked another one about the same request.
func (a *Answering) Replaced() { a.owner.session.Store.Unanswered(a.ID) }

// Done removes the question from the store: the work is finished, or the user gave up on it.
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

// WaitAgain makes the question wait for an answer again, since turn t has failed, unless
// another question waits. What was staged before the question stays.
func (a *Answering) WaitAgain(t *Turn) {
	c := a.owner
	if a.ID != 0 {
		c.session.Store.Unanswered(a.ID)
	}
	w := a.was.turn.wait(a.was.Question, a.ID)
	s := c.lock()
	th, asked := s.thread(t.Conversation), s.progress(w.turn)
	other := th.waiting != nil
	if !other {
		th.waiting, asked.asked, asked.state = w, w, Waits
		s.changes++
	}
	s.unlock()
	if other {
		return
	}
	if a.ID == 0 {
		if err := w.keep(context.WithoutCancel(c.session.Context())); err != nil {
			c.session.Log.Warn("a question that waits again could not be stored", zap.Error(err))
		}
	}
	if !c.session.Over() {
		t.Notice("The question waits again, and what was staged before it is kept: answer it once more, or give it up with /cancel.")
	}
}

// takeAnswer makes a request the answer to the question of its conversation, if it can be one.
// The first such message is the answer, whatever it says. It refuses an answer to a question
// that no longer waits.
func (s locked) takeAnswer(th *thread, r *Request) error {
	w := th.waiting
	if r.Answers != nil && r.Answers != w {
		return plan.Refuse(plan.WrongState, "The question was already answered or given up, so %q was ignored.", phrase.FirstLine(r.Text, 60))
	}
	if w == nil || r.Comment != nil || !r.answers(w) {
		r.Answers = nil
		return nil
	}
	r.Answers = w
	s.settle(w, Done)
	return nil
}

// answers reports whether a request in the conversation of a question is its answer. It is not
// if it names another mode than the question's, has a slash command, or quotes words that are
// not the user's.
func (r *Request) answers(w *Waiting) bool {
	if r.Answers == w || r.Retries {
		return true
	}
	return r.Slash == "" && !r.Quoted && (r.Mode == "" || r.Mode == "auto" || r.Mode == w.Question.Request.Mode)
}

// IsOption reports whether a message is one of the options of its conversation's waiting
// question. Such a text is the answer even if it reads like a command, since a model wrote it.
func (c *Conversations) IsOption(m *Message) bool {
	if m.New {
		return false
	}
	w := c.waitingIn(m)
	return w != nil && slices.Contains(w.Question.Options, m.Text)
}

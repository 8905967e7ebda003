package conversation

import (
	"context"

	"go.uber.org/zap"

	"redline/agent/backlog"
)

// GiveUpFor gives up the question that waits in the conversation a message would go to.
func (c *Conversations) GiveUpFor(m *Message) {
	if w := c.waitingIn(m); w != nil {
		c.GiveUp(w)
	}
}

// GiveUp ends a question without an answer, notifies the user, and reports whether it still
// waited. What was staged before the question is discarded.
func (c *Conversations) GiveUp(w *Waiting) bool {
	waited, ended := w.giveUp()
	if ended {
		w.turn.notifyCancelled()
	}
	return waited
}

// giveUp ends a question without an answer. waited reports whether it still waited, ended
// whether its turn has ended: else the turn sends the event of its end itself.
func (w *Waiting) giveUp() (waited, ended bool) {
	c := w.turn.owner
	s := c.lock()
	ended = s.progress(w.turn).state == Waits
	if !s.settle(w, Cancelled) {
		s.unlock()
		return false, false
	}
	id := s.close(w)
	s.unlock()
	w.turn.Conversation.Memory.Remember(w.Question.Request.Text, w.Question.Shown+"\n\n(The user gave this question up without an answer, and nothing came of the request.)")
	c.unstore(id)
	return true, ended
}

// settle ends the wait for a question, and the turn that has asked it is in the given state then.
// It reports whether the question still waited.
func (s locked) settle(w *Waiting, state string) bool {
	th := s.thread(w.turn.Conversation)
	if th.waiting != w {
		return false
	}
	th.waiting, s.progress(w.turn).state = nil, state
	w.end()
	s.changes++
	return true
}

// close records that a question was answered or given up for good, and returns its id in the
// store, 0 for none.
func (s locked) close(w *Waiting) (id int64) {
	now := s.stored(w)
	now.closed = true
	s.closed[now.id] = true
	return now.id
}

// unstore removes a question that was given up from the store, or leaves that to the
// backlog.
func (c *Conversations) unstore(id int64) {
	if id == 0 {
		return
	}
	if err := c.session.Store.Answered(context.WithoutCancel(c.session.Context()), id); err != nil {
		c.session.Log.Warn("a question that was given up could not be removed", zap.Error(err))
		if backlog.MayPass(err) {
			c.backlog.Add(backlog.Record{
				Stored: "The question is given up for good now.",
				Store:  func(ctx context.Context) error { return c.session.Store.Answered(ctx, id) },
			}, "The question is given up, but that cannot be kept yet, because the plan database cannot be written.", err)
		}
	}
}

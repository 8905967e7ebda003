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
	waited, ended = s.giveUp(w)
	id := s.stored(w).id
	s.unlock()
	if waited {
		w.turn.Conversation.Memory.Remember(w.Question.Request.Text, w.Question.Shown+"\n\n(The user gave this question up without an answer, and nothing came of the request.)")
		c.unstore(id)
	}
	return waited, ended
}

// giveUp is [Waiting.giveUp] but for the store and the memory.
func (s locked) giveUp(w *Waiting) (waited, ended bool) {
	if !s.thread(w.turn.Conversation).settle(w) {
		return false, false
	}
	p := s.progress(w.turn)
	ended = p.state == Waits
	p.state = Cancelled
	s.changes++
	s.close(w)
	return true, ended
}

// close ends the question for good, and returns its id in the store, 0 for none.
func (s locked) close(w *Waiting) (id int64) {
	w.end()
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

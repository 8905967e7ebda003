package conversation

import (
	"slices"

	"redline/agent/event"
	"redline/agent/state"
)

// Cancel cancels the turns that match and are queued or running, and gives up the questions
// of those that wait for an answer. It returns the ids of all these turns. A turn that is
// sent meanwhile may be left.
func (c *Conversations) Cancel(match func(*Turn) bool) []string {
	s := c.lock()
	turns := slices.Clone(s.turns)
	s.unlock()
	turns = slices.DeleteFunc(turns, func(t *Turn) bool { return !match(t) })

	s = c.lock()
	stopped := s.cancel(turns)
	s.unlock()
	ids := []string{}
	for _, t := range stopped.turns {
		ids = append(ids, t.ID)
	}
	for _, id := range stopped.answered {
		c.unstore(id)
	}
	for _, w := range stopped.asked {
		if c.GiveUp(w) {
			ids = append(ids, w.turn.ID)
		}
	}
	for _, t := range stopped.queued {
		close(t.done)
		t.notifyCancelled()
	}
	return ids
}

// cancelled is what a cancellation has found.
type cancelled struct {
	turns    []*Turn    // that were queued or running
	queued   []*Turn    // those that were queued
	answered []int64    // ids in the store of the questions that the queued ones were to answer
	asked    []*Waiting // questions that wait for an answer
}

// cancel cancels the turns that are queued or running.
func (s locked) cancel(turns []*Turn) (stopped cancelled) {
	for _, t := range turns {
		switch p := s.progress(t); {
		case p.state == Waits:
			stopped.asked = append(stopped.asked, p.asked)
			continue
		case p.ended():
			continue
		case p.state == Queued:
			p.state = Cancelled
			stopped.queued = append(stopped.queued, t)
			if w := t.Request.Answers; w != nil {
				stopped.answered = append(stopped.answered, s.close(w))
			}
			s.thread(t.Conversation).remove(t)
		}
		t.cancel()
		stopped.turns = append(stopped.turns, t)
	}
	for _, t := range stopped.queued {
		s.notifyPlaces(s.thread(t.Conversation).queue...)
	}
	s.changes++
	return stopped
}

// notifyCancelled sends the event that the turn ended without having run.
func (t *Turn) notifyCancelled() {
	e := t.Event(event.TurnFinished)
	e.Usage, e.State = &state.Usage{}, Cancelled
	t.owner.session.Notify(e)
}

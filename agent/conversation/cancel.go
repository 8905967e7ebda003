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

	var queued []*Turn
	var answered []int64 // ids in the store of the questions that the queued ones were to answer
	var asked []*Waiting // questions that wait for an answer
	ids := []string{}
	s = c.lock()
	for _, t := range turns {
		switch p := s.progress(t); p.state {
		case Waits:
			asked = append(asked, p.asked)
		case Queued:
			p.state = Cancelled
			queued = append(queued, t)
			if w := t.Request.Answers; w != nil {
				answered = append(answered, s.close(w))
			}
			s.thread(t.Conversation).remove(t)
			fallthrough
		case Running:
			t.cancel()
			ids = append(ids, t.ID)
		}
	}
	for _, t := range queued {
		s.notifyPlaces(s.thread(t.Conversation).queue...)
	}
	s.changes++
	s.unlock()
	for _, id := range answered {
		c.unstore(id)
	}
	for _, w := range asked {
		if c.GiveUp(w) {
			ids = append(ids, w.turn.ID)
		}
	}
	for _, t := range queued {
		close(t.done)
		t.notifyCancelled()
	}
	return ids
}

// notifyCancelled sends the event that the turn ended without having run.
func (t *Turn) notifyCancelled() {
	e := t.Event(event.TurnFinished)
	e.Usage, e.State = &state.Usage{}, Cancelled
	t.owner.session.Notify(e)
}

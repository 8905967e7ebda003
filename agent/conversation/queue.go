package conversation

import (
	"slices"

	"redline/agent/event"
	"redline/internal/phrase"
)

// A conversation runs its turns one at a time, in the order of their messages.

// next starts the first turn in the queue of a conversation if none runs.
func (s locked) next(conv *Conversation) {
	th := s.thread(conv)
	t := th.next()
	if t == nil {
		return
	}
	work := s.c.hooks.Run
	if t.Request.Answers == nil { // an answer that is cut off is not lost: its question waits again
		work = undertaken(s.c.session, work)
	}
	s.start(t, work, func() { t.owner.release(conv) })
	s.notifyPlaces(th.queue...)
}

// release lets the next turn of a conversation run.
func (c *Conversations) release(conv *Conversation) {
	s := c.lock()
	defer s.unlock()
	s.thread(conv).busy = false
	s.next(conv)
}

// place returns how many turns of the conversation have to end before this one begins, 0 if
// it does not wait. A turn that has ended but is still being cleaned up does not count.
func (s locked) place(t *Turn) int {
	if s.progress(t).state != Queued {
		return 0
	}
	th := s.thread(t.Conversation)
	place := slices.Index(th.queue, t)
	if th.busy && (th.turn == nil || !s.ended(th.turn)) {
		place++
	}
	return max(place, 0)
}

// notifyPlaces sends the places of turns in the queue that have changed. It does so under
// the lock, so that no turn.queued comes after the turn.started of its turn; Notify never
// blocks.
func (s locked) notifyPlaces(turns ...*Turn) {
	for _, t := range turns {
		p, place := s.progress(t), s.place(t)
		if place == 0 || place == p.told {
			continue
		}
		p.told = place
		e := t.Event(event.TurnQueued)
		e.Place, e.Summary = place, phrase.FirstLine(t.Request.Text, 120)
		s.c.session.Notify(e)
	}
}

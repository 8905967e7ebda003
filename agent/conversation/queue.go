package conversation

import (
	"context"
	"slices"

	"redline/agent/event"
	"redline/agent/refusal"
	"redline/agent/state"
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

// Reservation is a conversation in which no turn runs until it is released.
type Reservation struct {
	owner *Conversations
	conv  *Conversation
}

// Reserve keeps turns from running in a conversation until the reservation begins one or is
// released. It waits for a turn that has ended until its cleanup is done. If a turn runs,
// busy is true and nothing is reserved.
func (c *Conversations) Reserve(ctx context.Context, conversation string) (r *Reservation, busy bool, err error) {
	for {
		r, last, err := c.reserve(conversation)
		if last == nil {
			return r, r == nil && err == nil, err
		}
		select {
		case <-last.free:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}

// reserve reserves a conversation unless a turn runs in it. last is a turn that has ended
// but is still being cleaned up, nil for none.
func (c *Conversations) reserve(conversation string) (r *Reservation, last *Turn, err error) {
	s := c.lock()
	defer s.unlock()
	conv := s.conversation(conversation)
	th := s.thread(conv)
	switch {
	case th.busy && th.turn != nil && s.ended(th.turn):
		return nil, th.turn, nil
	case c.session.Over():
		return nil, nil, refusal.New(refusal.NotAllowed, "Redline is shutting down.")
	case th.busy:
		return nil, nil, nil
	}
	th.busy, th.turn = true, nil
	return &Reservation{c, conv}, nil, nil
}

// Release starts the next turn of the conversation, if one waits.
func (r *Reservation) Release() { r.owner.release(r.conv) }

// Begin runs work as a turn of the conversation, and releases the conversation at its end.
func (r *Reservation) Begin(request Request, work func(context.Context, *Turn) error) *Turn {
	s := r.owner.lock()
	defer s.unlock()
	t := s.newTurn(r.conv, request)
	s.thread(r.conv).turn = t
	s.start(t, work, r.Release)
	return t
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

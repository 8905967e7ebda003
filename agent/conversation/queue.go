package conversation

import (
	"context"
	"slices"

	"redline/agent/event"
	"redline/agent/refusal"
	"redline/internal/guarded"
	"redline/internal/phrase"
)

// A conversation runs its turns one at a time, in the order of their messages.

// next starts the first turn in the queue of a conversation if none runs.
func (s locked) next(conv *Conversation) {
	th := s.thread(conv)
	if th.busy || len(th.queue) == 0 {
		return
	}
	t := th.queue[0]
	th.queue = slices.Clone(th.queue[1:])
	th.busy, th.turn = true, t
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
	if th.busy && (th.turn == nil || !s.progress(th.turn).ended()) {
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
		t.Notify(event.Event{Kind: event.TurnQueued, Place: place, Summary: phrase.FirstLine(t.Request.Text, 120)})
	}
}

// Conversation is a thread of turns that run one at a time, in order.
type Conversation struct {
	ID     string
	Memory *Memory // what was said

	thread guarded.Value[thread]
}

// thread is what changes of a conversation.
type thread struct {
	queue   []*Turn  // turns that wait, oldest first
	busy    bool     // a turn runs, or the conversation is reserved
	turn    *Turn    // the one that runs, or ran last; nil while the conversation is reserved
	waiting *Waiting // the question that the user has to answer, nil for none
	last    Request  // the last request, for /retry
	decide  string   // the way to decide on its plans, "" for the user's default
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
	case th.busy && th.turn != nil && s.progress(th.turn).ended():
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

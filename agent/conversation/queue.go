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

// next starts the first turn in the queue of a conversation if none runs. The caller holds
// c.mu.
func (c *Conversations) next(conv *Conversation) {
	if conv.busy || len(conv.queue) == 0 {
		return
	}
	t := conv.queue[0]
	conv.queue = slices.Clone(conv.queue[1:])
	conv.busy, conv.turn = true, t
	work := c.hooks.Run
	if t.Request.Answers == nil { // an answer that is cut off is not lost: its question waits again
		work = undertaken(c.session, work)
	}
	c.start(t, work, func() { c.release(conv) })
	notifyPlaces(conv.queue...)
}

func (c *Conversations) release(conv *Conversation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	conv.busy = false
	c.next(conv)
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
	c.mu.Lock()
	defer c.mu.Unlock()
	conv := c.byName(conversation)
	for conv.busy && conv.turn != nil && conv.turn.ended() {
		last := conv.turn
		c.mu.Unlock()
		var ended error
		select {
		case <-last.free:
		case <-ctx.Done():
			ended = ctx.Err()
		}
		c.mu.Lock()
		if ended != nil {
			return nil, false, ended
		}
	}
	switch {
	case c.session.Over():
		return nil, false, refusal.New(refusal.NotAllowed, "Redline is shutting down.")
	case conv.busy:
		return nil, true, nil
	}
	conv.busy, conv.turn = true, nil
	return &Reservation{c, conv}, false, nil
}

// Release starts the next turn of the conversation, if one waits.
func (r *Reservation) Release() { r.owner.release(r.conv) }

// Begin runs work as a turn of the conversation, and releases the conversation at its end.
func (r *Reservation) Begin(request Request, work func(context.Context, *Turn) error) *Turn {
	c := r.owner
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.newTurn(r.conv, request)
	r.conv.turn = t
	c.start(t, work, r.Release)
	return t
}

// place returns how many turns of the conversation have to end before this one begins, 0 if
// it does not wait. A turn that has ended but is still being cleaned up does not count. The
// caller holds Conversations.mu.
func (t *Turn) place() int {
	if t.state != Queued {
		return 0
	}
	place := slices.Index(t.Conversation.queue, t)
	if t.Conversation.busy && (t.Conversation.turn == nil || !t.Conversation.turn.ended()) {
		place++
	}
	return max(place, 0)
}

// notifyPlaces sends the places of turns in the queue that have changed. The caller holds
// Conversations.mu, so that no turn.queued comes after the turn.started of its turn; Notify
// never blocks.
func notifyPlaces(turns ...*Turn) {
	for _, t := range turns {
		place := t.place()
		if place == 0 || place == t.told {
			continue
		}
		t.told = place
		e := t.Event(event.TurnQueued)
		e.Place, e.Summary = place, phrase.FirstLine(t.Request.Text, 120)
		t.owner.session.Notify(e)
	}
}

// Cancel cancels the turns that match and are queued or running, and gives up the questions
// of those that wait for an answer. It returns the ids of all these turns. match must not
// call methods of a turn: it is called with the lock held.
func (c *Conversations) Cancel(match func(*Turn) bool) []string {
	stopped := []string{}
	var queued []*Turn
	var answered []int64 // ids in the store of the questions that queued turns were to answer
	var asked []*Waiting
	c.mu.Lock()
	for _, t := range c.turns {
		if match(t) && t.state == Waits {
			asked = append(asked, t.asked)
		}
		if !match(t) || t.ended() {
			continue
		}
		if t.state == Queued {
			t.state = Cancelled
			queued = append(queued, t)
			if w := t.Request.Answers; w != nil {
				answered = append(answered, w.close())
			}
			t.Conversation.queue = slices.DeleteFunc(slices.Clone(t.Conversation.queue), func(other *Turn) bool { return other == t })
		}
		t.cancel()
		stopped = append(stopped, t.ID)
	}
	for _, t := range queued {
		notifyPlaces(t.Conversation.queue...)
	}
	c.changes++
	c.mu.Unlock()
	for _, id := range answered {
		c.unstore(id)
	}
	for _, w := range asked {
		if c.GiveUp(w) {
			stopped = append(stopped, w.turn.ID)
		}
	}
	for _, t := range queued {
		close(t.done)
		t.notifyCancelled()
	}
	return stopped
}

// notifyCancelled sends the event that the turn ended without having run.
func (t *Turn) notifyCancelled() {
	e := t.Event(event.TurnFinished)
	e.Usage, e.State = &state.Usage{}, Cancelled
	t.owner.session.Notify(e)
}

package conversation

import (
	"context"

	"redline/agent/refusal"
)

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

package conversation

import (
	"context"
	"fmt"
	"slices"

	"redline/agent/session"
	"redline/agent/state"
	"redline/internal/guarded"
)

// table has the conversations and turns of a session.
type table struct {
	conversations map[string]*Conversation
	current       map[string]string // client → its conversation
	turns         []*Turn           // of this session, newest last; the oldest that are over are forgotten
	lastTurn      int               // the number in the id of the last turn
	changes       int               // counts the changes that [Conversations.Running] shows
	closed        map[int64]bool    // stored questions that this session has answered or given up

	running   []state.Turn // what [Conversations.Running] returns, made when changes was runningAt
	runningAt int
}

// locked is a session's table while its lock is held, from [Conversations.lock] to unlock.
// It alone opens what changes of conversations, turns and questions, so whatever needs the
// lock is a method of it.
type locked struct {
	*table
	c    *Conversations
	held guarded.Held
}

func (c *Conversations) lock() locked {
	held := c.mu.Lock()
	return locked{c.table.Open(held), c, held}
}

func (s locked) unlock() { s.held.Unlock() }

func (s locked) thread(conv *Conversation) *thread { return conv.thread.Open(s.held) }

func (s locked) progress(t *Turn) *progress { return t.progress.Open(s.held) }

func (s locked) stored(w *Waiting) *stored { return w.stored.Open(s.held) }

// conversation finds or creates a conversation.
func (s locked) conversation(id string) *Conversation {
	conv := s.conversations[id]
	if conv == nil {
		conv = &Conversation{ID: id, Memory: &Memory{session: s.c.session, conversation: id}}
		s.conversations[id] = conv
		s.c.hooks.Begun(id)
	}
	return conv
}

// forRequest finds or creates the conversation that a request belongs to. Each comment
// request has a conversation of its own, which does not become the client's current one.
func (s locked) forRequest(r *Request) *Conversation {
	id := r.Conversation
	r.Named = r.Named || id != ""
	switch {
	case r.New || r.Comment != nil:
		id = session.NewID("c")
	case id == "":
		id = s.current[r.Client]
	}
	if id == "" {
		id = session.NewID("c")
	}
	conv := s.conversation(id)
	if r.Comment == nil {
		s.current[r.Client] = id
	}
	if r.Decide != "" {
		s.thread(conv).decide = r.Decide
	}
	r.Conversation = id
	return conv
}

// idFor returns the id of the conversation that a message would go to, "" for a new one.
func (s locked) idFor(m *Message) string {
	if m.Conversation != "" {
		return m.Conversation
	}
	return s.current[m.Client]
}

// newTurn adds a turn, which is queued.
func (s locked) newTurn(conv *Conversation, r Request) *Turn {
	s.lastTurn++
	t := &Turn{
		ID: fmt.Sprintf("t%d", s.lastTurn), Request: r, Conversation: conv, owner: s.c,
		done: make(chan struct{}), free: make(chan struct{}), progress: guarded.New(progress{state: Queued}),
	}
	t.ctx, t.cancel = context.WithCancel(s.c.session.Context())
	t.ctx = s.c.traces.Begin(t.ctx, t.ID, conv.ID, r.Own())
	if len(s.turns) >= maxTurns {
		if i := slices.IndexFunc(s.turns, s.over); i >= 0 {
			s.turns = slices.Delete(s.turns, i, i+1)
		}
	}
	s.turns = append(s.turns, t)
	s.changes++
	return t
}

// over reports whether a turn has ended and its conversation does not wait for the answer to its
// question.
func (s locked) over(t *Turn) bool {
	waiting := s.thread(t.Conversation).waiting
	return s.progress(t).ended() && (waiting == nil || waiting.turn != t)
}

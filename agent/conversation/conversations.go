// Package conversation owns the conversations of a session and the turns that run in
// them: their queues, the questions that wait for an answer, and what was said before.
// It does not know how a turn comes to its answer: [Hooks] say that.
//
// Two kinds of locks: that of [Conversations], which typing waits for, and those of each
// [Memory], which wait for the store. Neither is taken while the other is held. Only
// Hooks.Begun is called under the first; events are sent under it too, where their order
// matters.
package conversation

import (
	"context"
	"strings"
	"sync"

	"redline/agent/backlog"
	"redline/agent/event"
	"redline/agent/refusal"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/traces"
)

// Hooks are what conversations need of the rest of a session. They are called without the
// lock of [Conversations], except Begun.
type Hooks struct {
	// Run takes a turn to its answer. An error makes the turn failed.
	Run func(context.Context, *Turn) error

	// Ended is called once a turn has ended and its end was told.
	Ended func(*Turn, event.Event)

	// Begun is called when a conversation is used first in this session. It must not
	// call back, and a lock that it takes must not be held by callers of this package.
	Begun func(conversation string)

	// Read reads the stored record of a question.
	Read func(record string) (Question, error)
}

// Conversations are the conversations and turns of a session. Methods may be called from
// any goroutine.
type Conversations struct {
	session *session.Session
	traces  *traces.Traces
	backlog *backlog.Backlog
	hooks   Hooks

	mu       sync.Mutex // guards what follows, and the fields of conversations and turns that say so
	byID     map[string]*Conversation
	current  map[string]string // client → its conversation
	turns    []*Turn           // of this session, newest last; the oldest ended ones are forgotten
	lastTurn int               // the last turn was t and this number
	changes  int               // counts the changes that [Conversations.Running] shows
	settled  map[int64]bool    // stored questions that this session has answered or given up

	running   []state.Turn // those that [Conversations.Running] returns, as of runningAt
	runningAt int
}

// Conversation is a thread of turns that run one at a time, in order.
type Conversation struct {
	ID     string
	Memory *Memory // what was said

	// guarded by Conversations.mu
	queue   []*Turn // turns that wait, oldest first
	busy    bool
	turn    *Turn    // the one that runs, or ran last; nil while the conversation is taken
	waiting *Waiting // the question that its user is to answer, nil for none
	last    Request  // for /retry
	decide  string   // the way to decide on its plans, "" for the user's own
}

// New returns the conversations of a session, without any.
func New(s *session.Session, t *traces.Traces, b *backlog.Backlog, h Hooks) *Conversations {
	return &Conversations{
		session: s, traces: t, backlog: b, hooks: h,
		byID: map[string]*Conversation{}, current: map[string]string{}, settled: map[int64]bool{},
	}
}

// maxQueued is how many turns of one conversation may wait.
const maxQueued = 20

// Send puts a request behind those that its conversation still has to do, and returns
// at once. A request without words is refused, as is one too many.
func (c *Conversations) Send(r Request) (turn, conversation string, err error) {
	if strings.TrimSpace(r.Text) == "" {
		return "", "", refusal.New(refusal.Invalid, "The message is empty: say what should change.")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session.Over() {
		return "", "", refusal.New(refusal.NotAllowed, "Redline is shutting down.")
	}
	conv := c.of(&r)
	if n := len(conv.queue); n >= maxQueued {
		return "", "", refusal.New(refusal.Busy, "%d messages wait in this conversation already: wait until one was answered, or cancel some of them.", n)
	}
	if err := conv.takeAnswer(&r); err != nil {
		return "", "", err
	}
	t := c.newTurn(conv, r)
	conv.last = r
	conv.queue = append(conv.queue, t)
	c.next(conv)
	if t.state == Queued {
		notifyPlaces(t)
	}
	return t.ID, conv.ID, nil
}

// Do runs work for a request that needs no model, at once, also while a turn of its
// conversation runs.
func (c *Conversations) Do(r Request, work func(context.Context, *Turn) error) (turn, conversation string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.newTurn(c.of(&r), r)
	c.start(t, work, func() {})
	return t.ID, t.Conversation.ID
}

// Begin runs work as a turn of a conversation, beside its queue. Nothing of the turn is
// written to the chat file. ended is called once it has ended.
func (c *Conversations) Begin(conversation, text string, work func(context.Context, *Turn) error, ended func()) *Turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.newTurn(c.byName(conversation), Request{Message: Message{Text: text, Conversation: conversation}})
	t.Quiet = true
	c.start(t, work, ended)
	return t
}

// Find returns the conversation that a request belongs to, and makes it if it is new.
func (c *Conversations) Find(r *Request) *Conversation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of(r)
}

// of finds or makes the conversation that a request belongs to. A comment request is
// always one of its own, and does not become the client's current one. The caller holds
// c.mu.
func (c *Conversations) of(r *Request) *Conversation {
	id := r.Conversation
	r.Named = r.Named || id != ""
	switch {
	case r.New || r.Comment != nil:
		id = session.NewID("c")
	case id == "":
		id = c.current[r.Client]
	}
	if id == "" {
		id = session.NewID("c")
	}
	conv := c.byName(id)
	if r.Comment == nil {
		c.current[r.Client] = id
	}
	if r.Decide != "" {
		conv.decide = r.Decide
	}
	r.Conversation = id
	return conv
}

// Decide returns the way to decide on the plans of a conversation, "" if it has none of
// its own.
func (c *Conversations) Decide(conv *Conversation) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return conv.decide
}

// SetDecide changes the way to decide on the plans of a conversation, for as long as the
// session lasts.
func (c *Conversations) SetDecide(conv *Conversation, way string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	conv.decide = way
}

// byName finds or makes a conversation. The caller holds c.mu.
func (c *Conversations) byName(id string) *Conversation {
	conv := c.byID[id]
	if conv == nil {
		conv = &Conversation{ID: id, Memory: &Memory{session: c.session, conversation: id}}
		c.byID[id] = conv
		c.hooks.Begun(id)
	}
	return conv
}

// Meant returns the id of the conversation that a message would go to, "" for a new
// one.
func (c *Conversations) Meant(m *Message) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.meant(m)
}

func (c *Conversations) meant(m *Message) string {
	if m.Conversation != "" {
		return m.Conversation
	}
	return c.current[m.Client]
}

// Last returns the last request of the conversation that a message would go to, with
// that conversation's id; ok is false if there is none.
func (c *Conversations) Last(m *Message) (last Request, conversation string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := c.meant(m)
	conv := c.byID[id]
	if conv == nil {
		return Request{}, id, false
	}
	return conv.last, id, true
}

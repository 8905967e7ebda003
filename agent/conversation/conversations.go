// Package conversation owns the conversations of a session and the turns that run in
// them: their queues, the questions that wait for an answer, and what was said before.
// How a turn gets its answer is up to its [Worker].
//
// There are two kinds of locks: that of [Conversations], which typing waits for, and those
// of each [Memory], which wait for the store. Neither is taken while the other is held.
// Under the first, [New]'s begun is called, and events are sent where their order matters.
package conversation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/internal/guarded"
)

// Worker works on turns. Its methods are called without the lock of [Conversations].
type Worker interface {
	// Run works on a turn until it has its answer. If it returns an error, the turn has
	// failed.
	Run(context.Context, *Turn) error

	// Ended is called when a turn has ended, after the event that says so.
	Ended(*Turn, state.Event)

	// ReadQuestion reads the stored record of a question.
	ReadQuestion(record string) (Question, error)
}

// Conversations are the conversations and turns of a session. Methods may be called from
// any goroutine.
type Conversations struct {
	session *session.Session
	traces  *Traces
	backlog *board.Backlog
	begun   func(conversation string)
	worker  Worker

	mu    guarded.Lock
	table guarded.Value[table]
}

// New returns the conversations of a session. There are none yet. begun is called when one is used for
// the first time in this session: it must not call this package, and callers of this package must not
// hold a lock that it takes.
func New(s *session.Session, t *Traces, b *board.Backlog, begun func(conversation string)) *Conversations {
	return &Conversations{
		session: s, traces: t, backlog: b, begun: begun,
		table: guarded.New(table{conversations: map[string]*Conversation{}, current: map[string]string{}, closed: map[int64]bool{}}),
	}
}

// Serve sets who works on the turns. Call it before the first.
func (c *Conversations) Serve(w Worker) { c.worker = w }

// maxQueued is how many turns of one conversation may wait.
const maxQueued = 20

// Send adds a request to the queue of its conversation and returns at once. It refuses an
// empty request, and any while the queue is full.
func (c *Conversations) Send(r Request) (turn, conversation string, err error) {
	if strings.TrimSpace(r.Text) == "" {
		return "", "", plan.Refuse(plan.Invalid, "The message is empty: say what should change.")
	}
	s := c.lock()
	defer s.unlock()
	if c.session.Over() {
		return "", "", plan.Refuse(plan.NotAllowed, "Redline is shutting down.")
	}
	conv := s.forRequest(&r)
	th := s.thread(conv)
	if n := len(th.queue); n >= maxQueued {
		return "", "", plan.Refuse(plan.Busy, "%d messages wait in this conversation already: wait until one was answered, or cancel some of them.", n)
	}
	if err := s.takeAnswer(th, &r); err != nil {
		return "", "", err
	}
	t := s.newTurn(conv, r)
	th.last = r
	th.queue = append(th.queue, t)
	s.next(conv)
	if s.progress(t).state == Queued {
		t.Request.Fresh = t.Request.Fresh && s.place(t) == 0 // behind a turn that has ended it starts at once
		s.notifyPlaces(t)
	}
	return t.ID, conv.ID, nil
}

// Do runs work at once for a request that needs no model, even while a turn of its
// conversation runs.
func (c *Conversations) Do(r Request, work func(context.Context, *Turn) error) (turn, conversation string) {
	s := c.lock()
	defer s.unlock()
	t := s.newTurn(s.forRequest(&r), r)
	s.start(t, work, func() {})
	return t.ID, t.Conversation.ID
}

// Begin runs work as a turn of a conversation, beside its queue. Nothing of the turn is
// written to the chat file. ended is called once it has ended.
func (c *Conversations) Begin(conversation, text string, work func(context.Context, *Turn) error, ended func()) *Turn {
	s := c.lock()
	defer s.unlock()
	t := s.newTurn(s.conversation(conversation), Request{Message: Message{Text: text, Conversation: conversation}})
	t.Quiet = true
	s.start(t, work, ended)
	return t
}

// Queue adds a turn that no message of the user begins to the queue of its conversation. Unlike
// with [Conversations.Send], the request answers no question, and /retry does not repeat it. The
// turn starts after [Conversations.Continue], or after another turn of the conversation. Queue
// returns its id, "" if the session ends or the queue is full.
func (c *Conversations) Queue(r Request) (turn string) {
	s := c.lock()
	defer s.unlock()
	conv := s.conversation(r.Conversation)
	th := s.thread(conv)
	if c.session.Over() || len(th.queue) >= maxQueued {
		return ""
	}
	t := s.newTurn(conv, r)
	th.queue = append(th.queue, t)
	return t.ID
}

// Continue starts the first turn in the queue of a conversation if none runs.
func (c *Conversations) Continue(conversation string) {
	s := c.lock()
	defer s.unlock()
	conv := s.conversation(conversation)
	s.next(conv)
	s.notifyPlaces(s.thread(conv).queue...)
}

// Find returns the conversation of a request, or a new one.
func (c *Conversations) Find(r *Request) *Conversation {
	s := c.lock()
	defer s.unlock()
	return s.forRequest(r)
}

// Decide returns the way to decide on the plans of a conversation, "" for the user's
// default.
func (c *Conversations) Decide(conv *Conversation) string {
	s := c.lock()
	defer s.unlock()
	return s.thread(conv).decide
}

// SetDecide changes the way to decide on the plans of a conversation, until the session
// ends.
func (c *Conversations) SetDecide(conv *Conversation, way string) {
	s := c.lock()
	defer s.unlock()
	s.thread(conv).decide = way
}

// IDFor returns the id of the conversation that a message would go to, "" for a new one.
func (c *Conversations) IDFor(m *Message) string {
	s := c.lock()
	defer s.unlock()
	return s.idFor(m)
}

// Last returns the last request of the conversation that a message would go to, with
// that conversation's id; ok is false if there is none.
func (c *Conversations) Last(m *Message) (last Request, conversation string, ok bool) {
	s := c.lock()
	defer s.unlock()
	id := s.idFor(m)
	conv := s.conversations[id]
	if conv == nil {
		return Request{}, id, false
	}
	return s.thread(conv).last, id, true
}

// table has the conversations and turns of a session.
type table struct {
	conversations map[string]*Conversation
	current       map[string]string // client to its conversation
	turns         []*Turn           // turns of this session, newest last; the oldest finished ones are forgotten
	lastTurn      int               // the number in the id of the last turn
	changes       int               // counts the changes that [Conversations.Running] shows
	closed        map[int64]bool    // ids of stored questions that this session has answered or given up

	running   []state.Turn // what [Conversations.Running] returns, made when changes was runningAt
	runningAt int
}

// locked is a session's table while its lock is held, from [Conversations.lock] to unlock. Only
// through it can the changing part of conversations, turns and questions be reached, so whatever
// needs the lock is a method of it.
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
		s.c.begun(id)
	}
	return conv
}

// forRequest finds or creates the conversation that a request belongs to. Each comment request
// gets its own conversation, which does not become the client's current one.
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

// newTurn adds a queued turn.
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

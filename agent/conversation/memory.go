package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"go.uber.org/zap"

	"redline/agent/recall"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// Memory owns what a conversation remembers of its turns. It stores exchanges, and reads what
// other sessions have added. Its methods wait for the store. They may be called from any
// goroutine that does not hold the lock of [Conversations].
type Memory struct {
	session      *session.Session
	conversation string

	storing sync.Mutex // held while an exchange is stored, read or folded; lock it before mu
	mu      sync.Mutex // guards the value, briefly
	value   recall.Memory
}

// Value returns what the conversation remembers.
func (m *Memory) Value() recall.Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.value
}

func (m *Memory) update(change func(*recall.Memory)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.value)
}

// Recollect adds what the store has and the memory lacks: the whole conversation if this
// session has not used it yet, else what other sessions have added. If the store cannot be
// read, Recollect logs that and the memory stays as it is.
func (m *Memory) Recollect(ctx context.Context) {
	m.storing.Lock() // otherwise an exchange that is being stored would be read as another session's
	defer m.storing.Unlock()
	stored, err := m.session.Store.Conversation(ctx, m.session.Key(), m.conversation, m.Value().Last())
	if err != nil {
		m.session.Log.Warn("what was said in a conversation could not be read", zap.Error(err))
		return
	}
	m.update(func(value *recall.Memory) { *value = value.Joined(stored) })
}

// Remember adds a message, its answer and what the turn has read, and stores them without
// anything that looks like a secret. What cannot be stored now is stored with the next exchange.
func (m *Memory) Remember(request, answer string, read recall.Read) {
	e := recall.Exchange{At: m.session.Now().UTC(), Request: shortened(request), Answer: shortened(answer), Read: read.Encode()}
	m.update(func(value *recall.Memory) { value.Exchanges = append(slices.Clip(value.Exchanges), e) })
	if err := m.store(context.WithoutCancel(m.session.Context())); err != nil {
		m.session.Log.Warn("what was said in a conversation could not be kept yet", zap.Error(err))
	}
}

func shortened(text string) string { return recall.Shorten(text, recall.MaxMessage) }

// Fold replaces the n oldest exchanges with a summary: folded is the result of package recall
// for was, an earlier value of the memory. Fold stores the summary if it replaces any stored
// exchange.
func (m *Memory) Fold(ctx context.Context, was, folded recall.Memory, n int) {
	m.storing.Lock()
	m.update(func(value *recall.Memory) {
		folded.Exchanges = value.Exchanges[n:] // they may have been stored meanwhile
		for _, e := range value.Exchanges[:n] {
			folded.Upto = max(folded.Upto, e.Seq)
		}
		*value = folded
	})
	m.storing.Unlock()
	if folded.Upto == was.Upto {
		return // none of it was stored
	}
	err := m.session.Store.SaveSummary(context.WithoutCancel(ctx), m.session.Key(), m.conversation, withoutSecrets(folded.Summary), folded.Upto)
	if err != nil {
		m.session.Log.Warn("the summary of a conversation could not be kept", zap.Error(err))
	}
}

// withoutSecrets returns a summary without anything that looks like a secret.
func withoutSecrets(s recall.Summary) recall.Summary {
	s.Text = secrets.Masked(s.Text)
	s.Names = slices.Clone(s.Names)
	for i := range s.Names {
		s.Names[i] = secrets.Masked(s.Names[i])
	}
	return s
}

// store stores the exchanges that are not stored yet, oldest first.
func (m *Memory) store(ctx context.Context) error {
	m.storing.Lock()
	defer m.storing.Unlock()
	for {
		exchanges := m.Value().Exchanges
		i := slices.IndexFunc(exchanges, func(e recall.Exchange) bool { return e.Seq == 0 })
		if i < 0 {
			return nil
		}
		e := exchanges[i]
		e.Request, e.Answer = secrets.Masked(e.Request), secrets.Masked(e.Answer)
		seq, err := m.session.Store.SaveExchange(ctx, m.session.Key(), m.conversation, e)
		if err != nil {
			return err
		}
		m.update(func(value *recall.Memory) {
			if i = slices.Index(value.Exchanges, exchanges[i]); i >= 0 {
				value.Exchanges = slices.Clone(value.Exchanges)
				value.Exchanges[i].Seq = seq
			}
		})
	}
}

// Store stores the exchanges of all conversations that could not be stored before.
func (c *Conversations) Store(ctx context.Context) error {
	s := c.lock()
	all := slices.Collect(maps.Values(s.conversations))
	s.unlock()
	for _, conv := range all {
		if err := conv.Memory.store(ctx); err != nil {
			return err
		}
	}
	return nil
}

// ReadQuestions reads the questions that wait from the store: those of an earlier session wait
// here from then on, and a question that was answered in another session no longer waits. first
// is true at the start of the session.
func (c *Conversations) ReadQuestions(ctx context.Context, first bool) error {
	waited := c.waitingStored() // before the store is read, so that a question asked meanwhile is not missed
	stored, err := c.session.Store.Questions(ctx, c.session.Key())
	if err != nil {
		return err
	}
	found := map[string]bool{} // clients whose current conversation is one of these
	for _, q := range stored {
		delete(waited, q.ID)
		s := c.lock()
		known := s.knows(q)
		s.unlock()
		if known {
			continue
		}
		asked, err := c.worker.ReadQuestion(q.Record)
		if err != nil {
			c.session.Log.Error("a question could not be read", zap.Error(err))
			continue
		}
		client := asked.Request.Client
		s = c.lock()
		if !s.knows(q) {
			s.waitFor(q, asked)
			if first && (found[client] || s.current[client] == "") {
				s.current[client], found[client] = q.Conversation, true // the client continues there
			}
		}
		s.unlock()
	}
	s := c.lock()
	defer s.unlock()
	for _, w := range waited {
		s.settle(w, Done) // it was answered or given up elsewhere
	}
	return nil
}

// waitingStored returns the questions that wait and are stored, by their ids in the store.
func (c *Conversations) waitingStored() map[int64]*Waiting {
	s := c.lock()
	defer s.unlock()
	all := map[int64]*Waiting{}
	for _, conv := range s.conversations {
		if w := s.thread(conv).waiting; w != nil && s.progress(w.turn).state == Waits && s.stored(w).id != 0 {
			all[s.stored(w).id] = w
		}
	}
	return all
}

// knows reports whether a stored question waits here already, was settled by this session, or
// belongs to a conversation that has queued or running turns.
func (s locked) knows(q store.Question) bool {
	if s.closed[q.ID] {
		return true
	}
	conv := s.conversations[q.Conversation]
	if conv == nil {
		return false
	}
	th := s.thread(conv)
	return th.waiting != nil && s.stored(th.waiting).id == q.ID || th.busy || len(th.queue) > 0
}

// waitFor makes a stored question of another session wait here.
func (s locked) waitFor(q store.Question, asked Question) {
	conv := s.conversation(q.Conversation)
	t := s.newTurn(conv, asked.Request)
	close(t.done)
	close(t.free)
	w, p := t.wait(asked, q.ID), s.progress(t)
	p.state, p.result.Answer, p.asked = Waits, asked.Shown, w
	s.thread(conv).waiting = w
}

// Remind tells the user, at the start of a session, of turns that were cut off and of waiting
// questions, and asks these in the editor.
func (c *Conversations) Remind() {
	notifyCutOff(c.session)
	s := c.lock()
	var all []*Waiting
	for _, t := range s.turns {
		if p := s.progress(t); p.state == Waits && s.thread(t.Conversation).waiting == p.asked {
			all = append(all, p.asked)
		}
	}
	s.unlock()
	for _, w := range all {
		w.notify()
		w.ask()
	}
}

// undertaken returns work with a record in the store while it runs, from which the next
// session learns of it if this process ends first.
func undertaken(s *session.Session, work func(context.Context, *Turn) error) func(context.Context, *Turn) error {
	return func(ctx context.Context, t *Turn) error {
		end, err := s.Store.Undertake(s.Key(), store.Underway{
			Began: s.Now(), Request: secrets.Masked(phrase.FirstLine(t.Request.Text, 120)),
		})
		if err != nil {
			s.Log.Debug("that a turn began could not be noted", zap.Error(err))
		}
		defer end()
		return work(ctx, t)
	}
}

// notifyCutOff tells the user which turns of earlier sessions were cut off and will have no
// answer. A revision that such a turn has made is stored; the rest of its work is lost.
func notifyCutOff(s *session.Session) {
	for _, u := range s.Store.CutOff(s.Key()) {
		s.Notify(state.Event{Kind: state.Noticed, Text: fmt.Sprintf("A turn was cut off when Redline ended: %q. Send it again if you still want it.", edits.Visible(u.Request))})
	}
}

// Choices are what the user has chosen for a conversation. They apply to each message that names
// nothing else, until the user chooses again, and in later sessions too.
type Choices struct {
	Agent Agent  `json:"agent,omitzero"`
	Mode  string `json:"mode,omitempty"` // plan, text, ask or heap; "" for auto

	With string `json:"with,omitempty"` // the outside agent that works, [Own] for Redline's own model, "" for the settings' default

	Left Left `json:"left,omitzero"` // no choice: the last outside agent that worked
}

// Left is what an outside agent has left of its last turn in a conversation.
type Left struct {
	Agent    string `json:"agent"`
	Session  string `json:"session,omitempty"` // its own, to continue; "" if it cannot
	Plan     int    `json:"plan,omitempty"`    // the plan and the revision that it made last, 0 for none
	Revision int    `json:"revision,omitempty"`
	Lost     string `json:"lost,omitempty"` // why what it changed last was thrown away, a part of a sentence; "" for nothing
}

// Own is the choice of Redline's own model instead of an outside agent.
const Own = "model"

// String describes the choices in words, as in "the agent review and the mode plan"; "" for none.
func (c Choices) String() string {
	var words []string
	if c.Agent.Name != "" {
		words = append(words, "the agent "+c.Agent.Name)
	}
	if c.Mode != "" {
		words = append(words, "the mode "+c.Mode)
	}
	switch c.With {
	case "":
	case Own:
		words = append(words, "Redline's own model")
	default:
		words = append(words, "the outside agent "+c.With)
	}
	return phrase.And(words)
}

// Told is the key under which a session notes that it has told the user of a conversation's
// choices.
func (c Choices) Told(conv *Conversation) string { return "choices of " + conv.ID + ": " + c.String() }

// Agent names a primary agent, see package orchestrator. The zero value means none.
type Agent struct {
	Name       string `json:"name"`
	Repository bool   `json:"repository,omitempty"` // it is described by the repository, not the user
}

// chosen is a change of [Choices]: the fields that are not nil.
type chosen struct {
	agent *Agent
	mode  *string

	with *string
	left *Left
}

// upon returns the choices with the change made.
func (ch chosen) upon(c Choices) Choices {
	if ch.agent != nil {
		c.Agent = *ch.agent
	}
	if ch.mode != nil {
		c.Mode = *ch.mode
	}
	if ch.with != nil {
		c.With = *ch.with
	}
	if ch.left != nil {
		c.Left = *ch.left
	}
	return c
}

// ChooseAgent changes the agent of a conversation.
func (c *Conversations) ChooseAgent(conv *Conversation, a Agent) {
	c.choose(conv, func(ch *chosen) { ch.agent = &a })
}

// ChooseMode changes the mode of a conversation's messages that name none; "" for auto.
func (c *Conversations) ChooseMode(conv *Conversation, mode string) {
	c.choose(conv, func(ch *chosen) { ch.mode = &mode })
}

// ChooseWith changes who works in a conversation: an outside agent, [Own], or "" for the default.
func (c *Conversations) ChooseWith(conv *Conversation, name string) {
	c.choose(conv, func(ch *chosen) { ch.with = &name })
}

// Leave keeps what an outside agent has left in a conversation. What cannot be stored now is stored with the
// next choice.
func (c *Conversations) Leave(ctx context.Context, conv *Conversation, l Left) {
	c.choose(conv, func(ch *chosen) { ch.left = &l })
	if _, err := c.Choices(context.WithoutCancel(ctx), conv); err != nil {
		c.session.Log.Warn("what an outside agent has left could not be kept yet", zap.Error(err))
	}
}

func (c *Conversations) choose(conv *Conversation, change func(*chosen)) {
	s := c.lock()
	defer s.unlock()
	change(&s.thread(conv).chosen)
}

// Choices returns what the user has chosen for a conversation, in this session or another, and
// stores what is new. It waits for the store. If the store cannot be read, it returns the last
// known choices and an error.
func (c *Conversations) Choices(ctx context.Context, conv *Conversation) (Choices, error) {
	conv.choosing.Lock()
	defer conv.choosing.Unlock()
	record, err := c.session.Store.Choices(ctx, c.session.Key(), conv.ID)
	var stored Choices
	known := err == nil && (record == "" || json.Unmarshal([]byte(record), &stored) == nil)
	s := c.lock()
	th := s.thread(conv)
	if known {
		th.choices = stored
	}
	change := th.chosen
	now := change.upon(th.choices)
	s.unlock()
	switch {
	case err == nil && !known && change.agent == nil: // a later version has written it
		return now, errors.New("the agent of this conversation cannot be read: choose it again with /agent")
	case err != nil || change == (chosen{}):
		return now, err
	}
	if now != stored || !known {
		data, err := json.Marshal(now)
		if err == nil {
			err = c.session.Store.SaveChoices(context.WithoutCancel(ctx), c.session.Key(), conv.ID, string(data), c.session.Now().UTC())
		}
		if err != nil { // the change applies, and is stored the next time
			c.session.Log.Warn("what was chosen for a conversation could not be kept yet", zap.Error(err))
			return now, nil
		}
	}
	s = c.lock()
	th.choices = now
	if th.chosen == change {
		th.chosen = chosen{}
	}
	s.unlock()
	return now, nil
}

package conversation

import (
	"context"
	"maps"
	"slices"
	"sync"

	"go.uber.org/zap"

	"redline/agent/recall"
	"redline/agent/session"
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

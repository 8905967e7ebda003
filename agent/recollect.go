package agent

import (
	"context"
	"maps"
	"slices"

	"redline/agent/model"
	"redline/agent/recall"
	"redline/agent/trace"
)

// recollect brings what a conversation remembers up to what the store has of it:
// all of it if it was begun in another session, else what other sessions have
// added. A turn that cannot have it goes without.
func (a *Agent) recollect(ctx context.Context, conv *conversation) {
	a.mu.Lock()
	last := conv.memory.Last()
	a.mu.Unlock()
	stored, err := a.store.Conversation(ctx, a.workspaceKey(), conv.id, last)
	if err != nil {
		a.log.Warn("what was said in a conversation could not be read", errorField(err))
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	conv.memory = conv.memory.Joined(stored)
}

// said is what was said in a conversation before, as its model is told it.
func (a *Agent) said(conv *conversation) []model.Message {
	introduction := a.prompt("earlier")
	a.mu.Lock()
	m := conv.memory
	a.mu.Unlock()
	messages, _ := m.Messages(introduction, a.brief.Tokens)
	return messages
}

// remember keeps what was said in a turn for the next ones.
func (a *Agent) remember(t *turn, answer string) {
	a.update(func() { t.answer, t.remembered = answer, true })
	if c := t.continued; c != nil {
		asked := c.request.Text
		for _, e := range c.exchanges() {
			a.noteSaid(t.conv, asked, e.Question)
			asked = e.Answer
		}
	}
	a.noteSaid(t.conv, t.message.Text, answer)
}

// noteSaid has a conversation remember a message and its answer.
func (a *Agent) noteSaid(conv *conversation, request, answer string) {
	e := recall.Exchange{At: a.now().UTC(), Request: remembered(request), Answer: remembered(answer)}
	a.update(func() { conv.memory.Exchanges = append(slices.Clip(conv.memory.Exchanges), e) })
	if err := a.keepSaid(context.WithoutCancel(a.root), conv); err != nil {
		a.log.Warn("what was said in a conversation could not be kept yet", errorField(err))
	}
}

// remembered is what of a message is remembered.
func remembered(text string) string {
	return recall.Shorten(text, recall.MaxMessage)
}

// withoutSecrets is a summary as it is stored.
func withoutSecrets(s recall.Summary) recall.Summary {
	s.Text = trace.WithoutSecrets(s.Text)
	s.Names = slices.Clone(s.Names)
	for i := range s.Names {
		s.Names[i] = trace.WithoutSecrets(s.Names[i])
	}
	return s
}

// keepSaid stores what was said in a conversation and is not stored yet, without
// what looks like a secret. What cannot be stored is tried again later; the session
// knows it all the same.
func (a *Agent) keepSaid(ctx context.Context, conv *conversation) error {
	a.remembering.Lock()
	defer a.remembering.Unlock()
	for {
		a.mu.Lock()
		exchanges := conv.memory.Exchanges
		a.mu.Unlock()
		i := slices.IndexFunc(exchanges, func(e recall.Exchange) bool { return e.Seq == 0 })
		if i < 0 {
			return nil
		}
		e := exchanges[i]
		e.Request, e.Answer = trace.WithoutSecrets(e.Request), trace.WithoutSecrets(e.Answer)
		seq, err := a.store.SaveExchange(ctx, a.workspaceKey(), conv.id, e)
		if err != nil {
			return err
		}
		a.mu.Lock()
		if i = slices.Index(conv.memory.Exchanges, exchanges[i]); i >= 0 {
			conv.memory.Exchanges = slices.Clone(conv.memory.Exchanges)
			conv.memory.Exchanges[i].Seq = seq
		}
		a.mu.Unlock()
	}
}

// keepAllSaid is keepSaid for every conversation.
func (a *Agent) keepAllSaid(ctx context.Context) error {
	a.mu.Lock()
	all := slices.Collect(maps.Values(a.conversations))
	a.mu.Unlock()
	for _, conv := range all {
		if err := a.keepSaid(ctx, conv); err != nil {
			return err
		}
	}
	return nil
}

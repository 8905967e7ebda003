package conversation

import (
	"context"
	"maps"
	"slices"

	"go.uber.org/zap"

	"redline/agent/recall"
	"redline/agent/trace"
)

// Recollect brings the memory of a conversation up to what the store has of it: all of
// it if it was begun in another session, else what other sessions have added. If the
// store cannot be read, the conversation goes without.
func (c *Conversations) Recollect(ctx context.Context, conv *Conversation) {
	last := c.Memory(conv)
	stored, err := c.session.Store.Conversation(ctx, c.session.Key(), conv.ID, last.Last())
	if err != nil {
		c.session.Log.Warn("what was said in a conversation could not be read", zap.Error(err))
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	conv.memory = conv.memory.Joined(stored)
}

// Memory returns what a conversation remembers.
func (c *Conversations) Memory(conv *Conversation) recall.Memory {
	c.mu.Lock()
	defer c.mu.Unlock()
	return conv.memory
}

// Remember has a conversation remember a message and its answer. What cannot be stored
// now is stored with the next one.
func (c *Conversations) Remember(conv *Conversation, request, answer string) {
	e := recall.Exchange{At: c.session.Now().UTC(), Request: shortened(request), Answer: shortened(answer)}
	c.mu.Lock()
	conv.memory.Exchanges = append(slices.Clip(conv.memory.Exchanges), e)
	c.mu.Unlock()
	if err := c.store(context.WithoutCancel(c.session.Context()), conv); err != nil {
		c.session.Log.Warn("what was said in a conversation could not be kept yet", zap.Error(err))
	}
}

func shortened(text string) string { return recall.Shorten(text, recall.MaxMessage) }

// Fold puts a summary in the place of the n oldest exchanges: folded is what fold made
// of the memory as it was. It stores the summary, if it covers anything that is stored.
func (c *Conversations) Fold(ctx context.Context, conv *Conversation, was, folded recall.Memory, n int) {
	c.storing.Lock()
	c.mu.Lock()
	folded.Exchanges = conv.memory.Exchanges[n:] // they may have been stored meanwhile
	for _, e := range conv.memory.Exchanges[:n] {
		folded.Upto = max(folded.Upto, e.Seq)
	}
	conv.memory = folded
	c.mu.Unlock()
	c.storing.Unlock()
	if folded.Upto == was.Upto {
		return // none of it was stored
	}
	err := c.session.Store.SaveSummary(context.WithoutCancel(ctx), c.session.Key(), conv.ID, withoutSecrets(folded.Summary), folded.Upto)
	if err != nil {
		c.session.Log.Warn("the summary of a conversation could not be kept", zap.Error(err))
	}
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

// store stores what was said in a conversation and is not stored yet, without what looks
// like a secret.
func (c *Conversations) store(ctx context.Context, conv *Conversation) error {
	c.storing.Lock()
	defer c.storing.Unlock()
	for {
		exchanges := c.Memory(conv).Exchanges
		i := slices.IndexFunc(exchanges, func(e recall.Exchange) bool { return e.Seq == 0 })
		if i < 0 {
			return nil
		}
		e := exchanges[i]
		e.Request, e.Answer = trace.WithoutSecrets(e.Request), trace.WithoutSecrets(e.Answer)
		seq, err := c.session.Store.SaveExchange(ctx, c.session.Key(), conv.ID, e)
		if err != nil {
			return err
		}
		c.mu.Lock()
		if i = slices.Index(conv.memory.Exchanges, exchanges[i]); i >= 0 {
			conv.memory.Exchanges = slices.Clone(conv.memory.Exchanges)
			conv.memory.Exchanges[i].Seq = seq
		}
		c.mu.Unlock()
	}
}

// Store stores what was said in any conversation and could not be stored before.
func (c *Conversations) Store(ctx context.Context) error {
	c.mu.Lock()
	all := slices.Collect(maps.Values(c.byID))
	c.mu.Unlock()
	for _, conv := range all {
		if err := c.store(ctx, conv); err != nil {
			return err
		}
	}
	return nil
}

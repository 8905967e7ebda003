package conversation

import (
	"context"
	"encoding/json"
	"errors"

	"go.uber.org/zap"

	"redline/internal/phrase"
)

// Choices are what the user has chosen for a conversation. They apply to each message that names
// nothing else, until the user chooses again, and in later sessions too.
type Choices struct {
	Agent Agent  `json:"agent,omitzero"`
	Mode  string `json:"mode,omitempty"` // plan, text, ask or heap; "" for auto
}

// String describes the choices in words, as in "the agent review and the mode plan"; "" for none.
func (c Choices) String() string {
	var words []string
	if c.Agent.Name != "" {
		words = append(words, "the agent "+c.Agent.Name)
	}
	if c.Mode != "" {
		words = append(words, "the mode "+c.Mode)
	}
	return phrase.And(words)
}

// Told is the key under which a session notes that it has told the user of a conversation's
// choices.
func (c Choices) Told(conv *Conversation) string { return "choices of " + conv.ID + ": " + c.String() }

// Agent names a primary agent, see package specialists. The zero value means none.
type Agent struct {
	Name       string `json:"name"`
	Repository bool   `json:"repository,omitempty"` // it is described by the repository, not the user
}

// chosen is a change of [Choices]: the fields that are not nil.
type chosen struct {
	agent *Agent
	mode  *string
}

// upon returns the choices with the change made.
func (ch chosen) upon(c Choices) Choices {
	if ch.agent != nil {
		c.Agent = *ch.agent
	}
	if ch.mode != nil {
		c.Mode = *ch.mode
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

package agent

import (
	"redline/agent/conversation"
	"redline/agent/model"
)

// said returns what was said in a conversation before, as its model is told it.
func (ts *Turns) said(conv *conversation.Conversation) []model.Message {
	messages, _ := ts.conversations.Memory(conv).Messages(ts.prompt("earlier"), ts.brief.Tokens)
	return messages
}

// remember keeps what was said in a turn for the next ones.
func (ts *Turns) remember(t *turn, answer string) {
	t.Update(func(r *conversation.Result) { r.Answer, r.Remembered = answer, true })
	if c := t.continued; c != nil {
		asked := c.request.Text
		for _, e := range c.exchanges() {
			ts.conversations.Remember(t.Conversation, asked, e.Question)
			asked = e.Answer
		}
	}
	ts.conversations.Remember(t.Conversation, t.request.Text, answer)
}

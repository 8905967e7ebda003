package agent

import (
	"redline/agent/conversation"
	"redline/agent/model"
)

// said returns what was said in a conversation before, as its model is told it.
func (a *Agent) said(conv *conversation.Conversation) []model.Message {
	messages, _ := a.conversations.Memory(conv).Messages(a.prompt("earlier"), a.brief.Tokens)
	return messages
}

// remember keeps what was said in a turn for the next ones.
func (a *Agent) remember(t *turn, answer string) {
	t.Update(func(r *conversation.Result) { r.Answer, r.Remembered = answer, true })
	if c := t.continued; c != nil {
		asked := c.request.Text
		for _, e := range c.exchanges() {
			a.conversations.Remember(t.Conversation, asked, e.Question)
			asked = e.Answer
		}
	}
	a.conversations.Remember(t.Conversation, t.request.Text, answer)
}

package turn

import (
	"redline/agent/conversation"
	"redline/agent/model"
)

// said returns the earlier messages of a conversation as its model gets them.
func (ts *Turns) said(conv *conversation.Conversation) []model.Message {
	messages, _ := conv.Memory.Value().Messages(ts.texts.prompt("earlier"), ts.brief.Tokens)
	return messages
}

// remember keeps what was said in a turn for the next ones.
func (ts *Turns) remember(t *turn, answer string) {
	t.Update(func(r *conversation.Result) { r.Answer, r.Remembered = answer, true })
	if c := t.continued; c != nil {
		asked := c.request.Text
		for _, e := range c.exchanges() {
			t.Conversation.Memory.Remember(asked, e.Question)
			asked = e.Answer
		}
	}
	t.Conversation.Memory.Remember(t.request.Text, answer)
}

package turn

import (
	"redline/agent/conversation"
	"redline/agent/model"
)

// said returns the earlier messages of a conversation as its model gets them.
func (w *work) said() []model.Message {
	messages, _ := w.turn.Conversation.Memory.Value().Messages(w.prompt("earlier"), w.settings.Context.Tokens)
	return messages
}

// remember adds the turn's messages and its answer to the memory of its conversation.
func (w *work) remember(answer string) {
	t := w.turn
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

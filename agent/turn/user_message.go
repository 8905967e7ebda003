package turn

import (
	"context"

	"redline/agent/brief"
	"redline/agent/conversation"
	"redline/agent/model"
)

// userMessage returns the message m of a turn for the model: the user's own words, then a
// fenced block with the context gathered for it. It tells the user of context that they named
// and that does not fit.
func (w *work) userMessage(ctx context.Context, m *conversation.Request) model.Message {
	b := brief.Gather(ctx, w.ws, w.env.Draft, brief.Request{
		Own: m.Own(), Named: namedIn(m.Own()),
		Path: m.Path, Lines: m.Lines, Selection: m.Selection,
	}, w.settings.Context)
	if text := b.Notice(); text != "" {
		w.turn.Notice(text)
	}
	content := m.Text
	if text := b.Text(); text != "" {
		content += "\n\n" + text
	}
	return model.Message{Role: model.RoleUser, Content: content}
}

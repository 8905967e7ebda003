package agent

import (
	"context"

	"redline/agent/brief"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/model"
)

// userMessage is the message m of a turn as the model sees it: the user's own words first,
// then a fenced block with the context that was gathered for it. What of it was
// left out is told to the user if they asked for it.
func (ts *Turns) userMessage(ctx context.Context, t *turn, m *conversation.Request, d *draft.Draft) model.Message {
	b := brief.Gather(ctx, ts.ws, d, brief.Request{
		Own: m.Own(), Named: namedIn(m.Own()),
		Path: m.Path, Lines: m.Lines, Selection: m.Selection,
	}, ts.brief)
	if text := b.Notice(); text != "" {
		t.Notice(text)
	}
	content := m.Text
	if text := b.Text(); text != "" {
		content += "\n\n" + text
	}
	return model.Message{Role: model.RoleUser, Content: content}
}

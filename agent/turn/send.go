package turn

import (
	"context"
	"strings"

	"go.uber.org/zap"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/refusal"
	"redline/agent/slash"
	"redline/internal/phrase"
)

// Send takes a message and returns at once with the ids of its turn and conversation. It
// refuses an empty message and an unknown slash command.
func (ts *Turns) Send(m conversation.Message) (turnID, conversationID string, err error) {
	if err := ts.Board.Refresh(ts.Session.Context()); err != nil { // its conversation may be from an earlier session
		ts.log.Warn("the plans could not be read", zap.Error(err))
	}
	r, err := ts.fromChat(m)
	if err != nil {
		return "", "", err
	}
	if err := checkDecide(r.Decide); err != nil {
		return "", "", err
	}
	r.Text = strings.TrimSpace(r.Text)
	if r.Text == "" {
		return "", "", refusal.New(refusal.Invalid, "The message is empty: say what should change.")
	}
	if r.Comment != nil {
		file, err := ts.ws.Read(r.Path)
		if err != nil {
			return "", "", refusal.New(refusal.Invalid, "%s", err)
		}
		r.TextWhenAsked = file.Text
		return ts.enqueue(r) // a comment request has no slash commands
	}
	if r.Quoted {
		r.Decides = false
		return ts.enqueue(r)
	}
	if ts.Conversations.IsOption(&r.Message) { // a model has written it, so it decides nothing and names no file
		none := ""
		r.Typed, r.Decides = &none, false
		return ts.enqueue(r)
	}
	command, isSlash, err := chat.ParseSlash(r.Text)
	switch {
	case err != nil:
		return "", "", refusal.New(refusal.Invalid, "%s", phrase.SentenceOf(err))
	case !isSlash:
		return ts.enqueue(r)
	}
	return ts.sendSlash(r, command)
}

// sendSlash takes a slash command.
func (ts *Turns) sendSlash(r conversation.Request, s chat.Slash) (turnID, conversationID string, err error) {
	switch {
	case s.Name == "rework":
		return ts.reworkBySlash(r, s)
	case s.Name == "apart":
		return ts.sendApart(r)
	case s.Name == "template" && len(s.Args) > 0:
		r, err := ts.slash.Template(r, s)
		if err != nil {
			return "", "", err
		}
		return ts.enqueue(r)
	}
	if slash.BeginsAnew(s) {
		ts.Conversations.GiveUpFor(&r.Message)
	}
	r.New = r.New || s.Name == "new"
	if slash.AsksModel(s) {
		r = ts.slash.Message(r, s)
		if s.Name == "retry" && strings.TrimSpace(r.Text) == "" {
			return "", "", refusal.New(refusal.Invalid, "There is nothing to ask again in this conversation yet: say what should change.")
		}
		return ts.enqueue(r)
	}
	turnID, conversationID = ts.Conversations.Do(r, func(ctx context.Context, t *conversation.Turn) error {
		return ts.slash.Run(ctx, t, s)
	})
	return turnID, conversationID, nil
}

// enqueue queues a request behind the others of its conversation.
func (ts *Turns) enqueue(r conversation.Request) (turnID, conversationID string, err error) {
	if strings.TrimSpace(r.Text) != "" {
		if err := checkMode(r); err != nil {
			return "", "", err
		}
	}
	return ts.Conversations.Send(r)
}

package agent

import (
	"context"
	"strings"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/internal/phrase"
)

// Message is what a user says, and where.
type Message = conversation.Message

// Send takes a message and returns at once with the names of its turn and
// conversation. An empty message, or a slash command that does not exist, is
// refused.
func (a *Agent) Send(m Message) (turnID, conversationID string, err error) {
	if err := a.board.fresh(a.root); err != nil { // a conversation may be of an earlier session
		a.log.Warn("the plans could not be read", errorField(err))
	}
	r, err := a.fromChat(m)
	if err != nil {
		return "", "", err
	}
	if err := validWay(r.Decide); err != nil {
		return "", "", err
	}
	r.Text = strings.TrimSpace(r.Text)
	if r.Text == "" {
		return "", "", refuse(Invalid, "The message is empty: say what should change.")
	}
	if r.Comment != nil {
		file, err := a.ws.Read(r.Path)
		if err != nil {
			return "", "", refuse(Invalid, "%s", err)
		}
		r.TextWhenAsked = file.Text
		return a.enqueue(r) // a comment request has no slash commands
	}
	if r.Quoted {
		r.Decides = false
		return a.enqueue(r)
	}
	if a.conversations.IsOption(&r.Message) { // whatever it reads as, a model has written it: it decides nothing and names no file
		none := ""
		r.Typed, r.Decides = &none, false
		return a.enqueue(r)
	}
	slash, isSlash, err := chat.ParseSlash(r.Text)
	switch {
	case err != nil:
		return "", "", refuse(Invalid, "%s", phrase.SentenceOf(err))
	case !isSlash:
		return a.enqueue(r)
	}
	return a.sendSlash(r, slash)
}

// sendSlash takes a slash command.
func (a *Agent) sendSlash(r conversation.Request, slash chat.Slash) (turnID, conversationID string, err error) {
	switch {
	case slash.Name == "rework":
		return a.reworkBySlash(r, slash)
	case slash.Name == "apart":
		return a.sendApart(r)
	case slash.Name == "template" && len(slash.Args) > 0:
		return a.sendTemplate(r, slash)
	case slash.Name == "new":
		a.conversations.GiveUpFor(&r.Message)
		r.New = true
	}
	if beginsAnew(slash) {
		a.conversations.GiveUpFor(&r.Message)
	}
	if asksModel(slash) {
		r = a.withSlash(r, slash)
		if slash.Name == "retry" && strings.TrimSpace(r.Text) == "" {
			return "", "", refuse(Invalid, "There is nothing to ask again in this conversation yet: say what should change.")
		}
		return a.enqueue(r)
	}
	turnID, conversationID = a.conversations.Do(r, func(ctx context.Context, t *conversation.Turn) error {
		return a.command(ctx, t, slash)
	})
	return turnID, conversationID, nil
}

// enqueue puts a request behind those that its conversation still has to do.
func (a *Agent) enqueue(r conversation.Request) (turnID, conversationID string, err error) {
	if strings.TrimSpace(r.Text) != "" {
		if err := checkMode(r); err != nil {
			return "", "", err
		}
	}
	return a.conversations.Send(r)
}

// Cancel stops a turn that is queued or running, or gives up the question that it
// waits with; or all of them when id is "". It returns the turns that it stopped.
func (a *Agent) Cancel(id string) []string {
	return a.conversations.Cancel(func(t *conversation.Turn) bool { return id == "" || t.ID == id })
}

// Wait is [conversation.Conversations.Wait].
func (a *Agent) Wait(ctx context.Context, id string) (TurnState, error) {
	return a.conversations.Wait(ctx, id)
}

// Failure is [conversation.Conversations.Failure].
func (a *Agent) Failure(id string) error { return a.conversations.Failure(id) }

// PlanOf is [conversation.Conversations.PlanOf].
func (a *Agent) PlanOf(id string) int { return a.conversations.PlanOf(id) }

// Remind is [conversation.Conversations.Remind].
func (a *Agent) Remind() { a.conversations.Remind() }

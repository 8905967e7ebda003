package turn

import (
	"context"
	"strings"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/refusal"
)

// reworkBySlash carries out /rework.
func (ts *Turns) reworkBySlash(m conversation.Request, s chat.Slash) (turnID, conversationID string, err error) {
	n := s.Plan
	if n == 0 {
		if n, err = ts.slash.PlanMeant(ts.Session.Context(), ts.Conversations.Find(&m).ID, s); err != nil {
			return "", "", err
		}
	}
	return ts.rework(ts.Session.Context(), n, conversation.Request{Message: conversation.Message{Text: s.Rest, Client: m.Client}, FromChat: m.FromChat})
}

// Rework asks for a new revision of a plan, in the plan's conversation.
func (ts *Turns) Rework(ctx context.Context, n int, feedback, client string) (turnID, conversationID string, err error) {
	return ts.rework(ctx, n, conversation.Request{Message: conversation.Message{Text: feedback, Client: client}})
}

func (ts *Turns) rework(ctx context.Context, n int, m conversation.Request) (turnID, conversationID string, err error) {
	if strings.TrimSpace(m.Text) == "" {
		return "", "", refusal.New(refusal.Invalid, "Say what should be different about plan %d.", n)
	}
	h, err := ts.Board.Find(ctx, n)
	if err != nil {
		return "", "", err
	}
	if err := ts.Board.Ready(h, plan.RequestRevision); err != nil {
		return "", "", err
	}
	m.Conversation, m.Revise = h.Plan().Conversation, n
	return ts.enqueue(m)
}

package turn

import (
	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/refusal"
)

// revisedBy is a message that changed the waiting plan without naming it, and the plan before
// the change.
type revisedBy struct {
	request       conversation.Request
	plan          int
	was, revision int    // the plan's revision before and after
	goal          string // of the plan before the change
}

// noteRevised notes whether a turn has revised a plan that its message did not name.
func (rs *revisions) noteRevised(t *turn, h, revised *board.Held) {
	m, r := t.request, h.Revision()
	by, request := revisedBy{}, ""
	if revised != nil && m.Revise == 0 && m.Comment == nil && r.Parent != 0 && t.continued == nil {
		by = revisedBy{request: m, plan: h.Number(), was: r.Parent, revision: r.Number, goal: t.before}
		request = m.Text
	}
	rs.unnamed.Store(t.Conversation.ID, by)
	rs.board.NoteUnnamed(t.Conversation.ID, h, request)
}

// sendApart makes a new plan of the last message that changed one: it rolls that plan back, as
// a further revision, and sends the message again.
func (ts *Turns) sendApart(m conversation.Request) (turnID, conversationID string, err error) {
	if !m.Decides {
		return "", "", refusal.New(refusal.NotAllowed, "%q was in the chat file before it was opened: type the command again to decide.", "/apart")
	}
	conversation := ts.Conversations.IDFor(&m.Message)
	noted, _ := ts.revisions.unnamed.Load(conversation)
	last, _ := noted.(revisedBy) // the zero value: there was no such request
	current := 0
	if h := ts.Board.Held(last.plan); h != nil {
		current = h.Plan().Current
	}
	switch {
	case last.plan == 0:
		return "", "", refusal.New(refusal.Invalid, "The last request here has changed no plan that waited: send /plan and the request for a plan of its own.")
	case current != last.revision:
		return "", "", refusal.New(refusal.WrongState, "Plan %d has been changed since that request: /revisions %d lists what it was, and /plan with the request begins a plan of its own.", last.plan, last.plan)
	}
	if _, err := ts.Decisions.RollbackWithGoal(ts.Session.Context(), last.plan, last.was, last.goal); err != nil {
		return "", "", err
	}
	again := last.request
	again.Client, again.Conversation, again.New, again.Apart, again.Answers = m.Client, conversation, false, true, nil
	return ts.enqueue(again)
}

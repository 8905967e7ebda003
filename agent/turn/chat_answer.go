package turn

import (
	"fmt"
	"strings"

	"go.uber.org/zap"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/event"
	"redline/agent/session"
	"redline/edits"
)

// Ended writes the answer of a turn that has ended into the chat file.
func (ts *Turns) Ended(t *conversation.Turn, e event.Event) {
	if err := session.Contain(func() error { return ts.appendToChat(t, e) }); err != nil {
		ts.log.Warn("the answer could not be written to the chat file", zap.Error(err))
	}
}

// appendToChat writes the answer of a turn under its request. A request from elsewhere is
// written first; nothing is written if the plan or one line says it all.
func (ts *Turns) appendToChat(t *conversation.Turn, e event.Event) error {
	asks, cancelled := e.State == conversation.Waits, e.State == conversation.Cancelled
	if !t.Request.FromChat && !asks && (e.PlanNumber != 0 || cancelled || !strings.Contains(e.Answer, "\n") && len(e.Answer) < 200) {
		return nil
	}
	reply := e.Answer
	if e.PlanNumber != 0 {
		reply = chat.Reply(reply, ts.planLine(e.PlanNumber))
	}
	if e.Error != "" {
		reply = chat.Reply(reply, e.Error)
	}
	if asks {
		reply = chat.Reply(reply, "I wait for your answer: write it below and send it, or give the question up with `/cancel`.")
	}
	if cancelled {
		reply = "Cancelled."
	}
	request := t.Request.Text
	if t.Request.FromChat {
		request = ""
	}
	return ts.Chat.Answer(request, edits.Visible(reply)) // the user decides by what they read here, and it may quote invisible characters
}

// planLine says in one line which plan a turn made and how to decide on it.
func (ts *Turns) planLine(n int) string {
	h := ts.Board.Held(n)
	if h == nil || !h.Plan().State.Open() {
		return ""
	}
	v, where := ts.Board.View(h), ""
	if v.Preview != "" {
		where = ", shown in " + v.Preview
	}
	return fmt.Sprintf("Plan %d, revision %d, waits for you%s. Decide with `/approve %d`, `/reject %d` or `/rework %d` and what should be different.",
		n, v.Revision.Number, where, n, n, n)
}

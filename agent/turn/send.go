package turn

import (
	"context"
	"fmt"
	"strings"

	"go.uber.org/zap"

	"redline/agent/chat"
	"redline/agent/commands"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// Send queues a message and returns at once, with the ids of its turn and conversation. It
// refuses an empty message and an unknown slash command.
func (ts *Turns) Send(m conversation.Message) (turnID, conversationID string, err error) {
	if ts.Facts != nil {
		ts.Facts.Begin() // gathers them until the turn makes its request
	}
	stale := ts.Board.Follower.Refresh(ts.Session.Context()) // its conversation may be from an earlier session
	if stale != nil {
		ts.log.Warn("the plans could not be read", zap.Error(stale))
	}
	r, err := ts.fromChat(m)
	if err != nil {
		return "", "", err
	}
	r.Fresh = stale == nil
	switch r.Decide {
	case "", config.DecidePlan, config.DecideAsk:
	default:
		return "", "", plan.Refuse(plan.Invalid, "There is no way to decide %q: use plan (at the end of the turn) or ask (about each operation as it is staged).", r.Decide)
	}
	if r.Agent != "" {
		a, err := ts.agentNamed(r.Agent)
		if err != nil {
			return "", "", err
		}
		r.Chosen = &a
	}
	if err := ts.Outsiders.knows(r.With); err != nil {
		return "", "", err
	}
	r.Text, r.Output = strings.TrimSpace(r.Text), ts.withheld(commands.Plain(r.Output))
	if r.Comment != nil {
		file, err := ts.ws.Read(r.Path)
		if err != nil {
			return "", "", plan.Refuse(plan.Invalid, "%s", err)
		}
		r.TextWhenAsked = file.Text
		return ts.enqueue(r) // a comment request has no slash commands
	}
	if r.Quoted {
		r.Decides = false
		return ts.enqueue(r)
	}
	if ts.Conversations.IsOption(&r.Message) { // a model has written it, so it approves nothing and names no files
		none := ""
		r.Typed, r.Decides = &none, false
		return ts.enqueue(r)
	}
	command, isSlash, err := chat.ParseSlash(r.Text)
	switch {
	case err != nil:
		return "", "", plan.Refuse(plan.Invalid, "%s", phrase.SentenceOf(err))
	case !isSlash:
		return ts.enqueue(r)
	}
	return ts.sendSlash(r, command)
}

// withheld returns an output for the model without lines that may hold a secret, and tells the user
// if there are any. Tools withhold them too.
func (ts *Turns) withheld(output string) string {
	shown := secrets.Withhold(output)
	if n := strings.Count(shown, secrets.LeftOut) - strings.Count(output, secrets.LeftOut); n > 0 {
		ts.Session.Notify(state.Event{Kind: state.Noticed, Text: fmt.Sprintf(
			"The input may hold secrets in %s: the model does not get these lines.", phrase.Count(n, "place"))})
	}
	return shown
}

// sendSlash carries out a slash command.
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
	if beginsAnew(s) {
		ts.Conversations.GiveUpFor(&r.Message)
	}
	r.New = r.New || s.Name == "new"
	if asksModel(s) {
		r = ts.slash.Message(r, s)
		if s.Name == "retry" && strings.TrimSpace(r.Text) == "" {
			return "", "", plan.Refuse(plan.Invalid, "There is nothing to ask again in this conversation yet: say what should change.")
		}
		return ts.enqueue(r)
	}
	turnID, conversationID = ts.Conversations.Do(r, func(ctx context.Context, t *conversation.Turn) error {
		return ts.slash.Run(ctx, t, s)
	})
	return turnID, conversationID, nil
}

// enqueue queues a request behind the others of its conversation. It refuses an unknown mode.
func (ts *Turns) enqueue(r conversation.Request) (turnID, conversationID string, err error) {
	if r.Mode != "" && r.Mode != "auto" && modes[r.Mode] == "" {
		return "", "", plan.Refuse(plan.Invalid, "There is no mode %q: use auto, plan, text, heap or ask.", r.Mode)
	}
	return ts.Conversations.Send(r)
}

// fromChat replaces a message that sends the chat file by the request in the file's last
// section.
func (ts *Turns) fromChat(sent conversation.Message) (conversation.Request, error) {
	m := conversation.Request{Message: sent}
	if !ts.Chat.Sends(m.Path, m.Text) {
		m.Decides = true
		return m, nil
	}
	text := ts.Chat.Text()
	body, ok := chat.LastRequest(text)
	if !ok {
		return m, plan.Refuse(plan.Invalid, "There is nothing to send: write your request under the last “## You” in %s.", ts.Chat.Path())
	}
	m.Text, m.FromChat, m.Path, m.Lines, m.Selection = body, true, "", nil, ""
	m.Decides = ts.Chat.Typed(text)
	return m, nil
}

// reworkBySlash carries out /rework.
func (ts *Turns) reworkBySlash(m conversation.Request, s chat.Slash) (turnID, conversationID string, err error) {
	n := s.Plan
	if n == 0 {
		if n, err = ts.slash.planMeant(ts.Session.Context(), ts.Conversations.Find(&m).ID, s); err != nil {
			return "", "", err
		}
	}
	r := conversation.Request{Message: conversation.Message{Text: s.Rest, With: m.With, Client: m.Client}, FromChat: m.FromChat, Chosen: m.Chosen}
	if s.Rest == "" {
		return ts.mend(ts.Session.Context(), n, "", r)
	}
	return ts.rework(ts.Session.Context(), n, r)
}

// Rework asks for a new revision of a plan, in the plan's conversation. The open comments are part
// of the feedback, which may be only these.
func (ts *Turns) Rework(ctx context.Context, n int, feedback, client string) (turnID, conversationID string, err error) {
	return ts.rework(ctx, n, conversation.Request{Message: conversation.Message{Text: feedback, Client: client}})
}

func (ts *Turns) rework(ctx context.Context, n int, m conversation.Request) (turnID, conversationID string, err error) {
	h, err := ts.Board.Find(ctx, n)
	if err != nil {
		return "", "", err
	}
	if strings.TrimSpace(m.Text) == "" && !decide.HasOpen(h.Plan()) {
		return "", "", plan.Refuse(plan.Invalid, "Say what should be different about plan %d.", n)
	}
	tx := ts.Board.Lock(h)
	err = tx.Ready(plan.RequestRevision, view.Request{})
	tx.Unlock()
	if err != nil {
		return "", "", err
	}
	comments := ""
	if decide.HasOpen(h.Plan()) { // Open reads the store again
		if comments, m.Comments, err = ts.Comments.Open(ctx, n); err != nil {
			return "", "", err
		}
	}
	if comments != "" {
		m.Text = strings.TrimLeft(m.Text+"\n\n"+comments, "\n")
		if m.Remembered != "" {
			m.Remembered += "\n\n" + comments
		}
	}
	m.Conversation, m.Revise, m.Fresh = h.Plan().Conversation, n, true
	return ts.enqueue(m)
}

// sendApart makes a new plan of the last message that changed one: it restores that plan, as a
// further revision, and sends the message again.
func (ts *Turns) sendApart(m conversation.Request) (turnID, conversationID string, err error) {
	if err := typedNow(&m, "apart", " to decide"); err != nil {
		return "", "", err
	}
	conversation := ts.Conversations.IDFor(&m.Message)
	noted, _ := ts.revisions.unnamed.Load(conversation)
	last, _ := noted.(revisedBy) // the zero value: no such request
	current := 0
	if h := ts.Board.Held(last.plan); h != nil {
		current = h.Plan().Current
	}
	switch {
	case last.plan == 0:
		return "", "", plan.Refuse(plan.Invalid, "The last request here has changed no plan that waited: send /plan and the request for a plan of its own.")
	case current != last.revision:
		return "", "", plan.Refuse(plan.WrongState, "Plan %d has been changed since that request: /revisions %d lists what it was, and /plan with the request begins a plan of its own.", last.plan, last.plan)
	}
	if _, err := ts.Decisions.Rollback(ts.Session.Context(), last.plan, last.was, last.goal); err != nil {
		return "", "", err
	}
	again := last.request
	again.Client, again.Conversation, again.New, again.Apart, again.Answers = m.Client, conversation, false, true, nil
	again.With, again.Chosen, again.Fresh = m.With, m.Chosen, m.Fresh
	return ts.enqueue(again)
}

package turn

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/store"
	"redline/internal/phrase"
)

// asksModel reports whether a slash command is a message to the model. The others run at once,
// also during a turn.
func asksModel(s chat.Slash) bool {
	switch s.Name {
	case "plan", "ask", "text", "heap", "retry":
		return true
	case "new":
		return s.Rest != ""
	}
	return false
}

// beginsAnew reports whether a slash command changes the subject of its conversation: a
// question that waits there is given up.
func beginsAnew(s chat.Slash) bool {
	return slices.Contains([]string{"plan", "text", "heap"}, s.Name) && s.Rest != ""
}

// withSlash returns the message that a slash command stands for.
func (ts *Turns) withSlash(m conversation.Request, s chat.Slash) conversation.Request {
	switch s.Name {
	case "retry":
		last, conversation, ok := ts.conversations.Last(&m.Message)
		if !ok {
			m.Text = ""
			return m
		}
		last.Conversation, last.New, last.Again = conversation, false, true
		last.Retries, last.Answers = last.Answers != nil, nil
		return last
	case "plan", "ask", "text", "heap":
		m.Mode, m.Slash = s.Name, s.Name
	}
	m.Text = s.Rest
	return m
}

// command carries out a slash command that needs no model. The user typed it, so it may decide:
// on the plan that it names, or on the only one that waits in the conversation.
func (ts *Turns) command(ctx context.Context, t *conversation.Turn, s chat.Slash) error {
	if chat.Deciding(s.Name) && !t.Request.Decides {
		return refusal.New(refusal.NotAllowed, "%q was in the chat file before it was opened: type the command again to decide.", "/"+s.Name)
	}
	answer, err := ts.answerSlash(ctx, t, s)
	if err != nil {
		return err
	}
	t.Update(func(r *conversation.Result) { r.Answer = answer })
	return nil
}

func (ts *Turns) answerSlash(ctx context.Context, t *conversation.Turn, s chat.Slash) (string, error) {
	switch s.Name {
	case "new":
		return "This is a new conversation.", nil
	case "help":
		return chat.Help(), nil
	case "model":
		return ts.modelReport(), nil
	case "status":
		return ts.status(ctx)
	case "template":
		return ts.templates.List(), nil
	case "agents":
		return ts.agentFiles.List(), nil
	case "decide":
		return ts.deciding.changeDecide(t.Conversation, s.Args), nil
	case "cancel":
		stopped := ts.conversations.Cancel(func(other *conversation.Turn) bool { return other != t })
		if len(stopped) == 0 {
			return "Nothing was running.", nil
		}
		return "Cancelled " + strings.Join(stopped, ", ") + ".", nil
	case "approve", "reject", "undo", "rollback", "revisions":
		n, err := ts.planMeant(ctx, t.Conversation.ID, s)
		if err != nil {
			return "", err
		}
		return ts.decideBySlash(ctx, t, n, s)
	}
	return "", refusal.New(refusal.NotAllowed, "/%s is not in this version yet.", s.Name)
}

// decideBySlash approves, rejects, undoes or lists, and returns the result as text.
func (ts *Turns) decideBySlash(ctx context.Context, t *conversation.Turn, n int, s chat.Slash) (string, error) {
	d := decision.Request{Plan: n, Client: "chat", Saved: s.Saved}
	if shown := t.Request.Shown; shown != nil && (s.Name == "approve" || s.Name == "reject") {
		var ok bool
		if d.Revision, d.Hash, ok = shown(n); !ok {
			return "", refusal.New(refusal.HashMismatch, "Plan %d has not been shown here yet: look at it first, then decide.", n)
		}
	}
	switch s.Name {
	case "approve":
		d.Hunks = s.Args
		if i := slices.IndexFunc(s.Args, func(id string) bool { return strings.HasPrefix(id, "o") }); i >= 0 {
			if len(s.Args) > 1 {
				return "", refusal.New(refusal.Invalid, "%s is an operation: decide on one at a time, without hunks.", s.Args[i])
			}
			d.Hunks, d.Operation = nil, s.Args[i]
		}
		r, err := ts.decisions.Approve(ctx, d)
		noteDecided(t, plan.VerdictApprove, err)
		if err == nil && r.Turn != "" {
			return strings.TrimSuffix(r.Line("approved"), ".") + fmt.Sprintf(". Its commands run as turn %s.", r.Turn), nil
		}
		return r.Line("approved"), err
	case "undo":
		r, err := ts.decisions.Undo(ctx, d)
		noteDecided(t, plan.VerdictUndo, err)
		return r.Line("undone"), err
	case "reject":
		d.Reason = s.Rest
		p, err := ts.decisions.Reject(ctx, d)
		return fmt.Sprintf("Plan %d is %s.", n, p.State), err
	case "rollback":
		to, err := strconv.Atoi(s.Args[0])
		if err != nil {
			return "", refusal.New(refusal.Invalid, "There is no revision %s.", s.Args[0])
		}
		p, err := ts.decisions.Rollback(ctx, n, to)
		return fmt.Sprintf("Plan %d is at revision %d, which has the content of revision %d.", n, p.Revision, to), err
	}
	p, err := ts.board.PlanState(ctx, n)
	var b strings.Builder
	for _, r := range p.Revisions {
		note := ""
		if r.Note != "" {
			note = ": " + r.Note
		}
		fmt.Fprintf(&b, "- revision %d by %s, %s%s\n", r.Revision, r.Author, r.Created, note)
	}
	return strings.TrimSuffix(b.String(), "\n"), err
}

// noteDecided notes what a turn has decided, for the event of its end.
func noteDecided(t *conversation.Turn, v plan.Verdict, err error) {
	if err == nil {
		t.Update(func(r *conversation.Result) { r.Decided = v })
	}
}

// planMeant returns the plan that a slash command names, or the only one that it can mean:
// first in its conversation, then in the workspace.
func (ts *Turns) planMeant(ctx context.Context, conversation string, s chat.Slash) (int, error) {
	if s.Plan != 0 {
		return s.Plan, nil
	}
	plans, err := ts.store.Plans(ctx, ts.session.Key(), store.Filter{Open: s.Name != "undo"})
	if err != nil {
		return 0, err
	}
	var here, all []int
	for _, p := range plans {
		if s.Name == "undo" && !p.Applied() {
			continue
		}
		all = append(all, p.Number)
		if p.Conversation == conversation {
			here = append(here, p.Number)
		}
	}
	slices.Sort(all)
	switch {
	case len(here) == 1:
		return here[0], nil
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return 0, refusal.New(refusal.NoSuchPlan, "There is no plan that /%s could mean.", s.Name)
	}
	return 0, refusal.New(refusal.Invalid, "Say which plan: /%s N, where N is one of %s.", s.Name, joinInts(all))
}

// status says in a few lines what waits and what runs.
func (ts *Turns) status(ctx context.Context) (string, error) {
	plans, err := ts.board.PlanStates(ctx, false)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, p := range plans {
		if plan.State(p.State).Open() {
			lines = append(lines, fmt.Sprintf("- plan %d, revision %d, is %s: %s", p.Plan, p.Revision, p.State, p.Goal))
		}
	}
	for _, t := range ts.conversations.States() {
		switch {
		case t.State == conversation.Running && !strings.HasPrefix(t.Message, "/status"):
			lines = append(lines, fmt.Sprintf("- turn %s is running: %s", t.Turn, t.Message))
		case t.State == conversation.Queued:
			lines = append(lines, fmt.Sprintf("- turn %s waits behind %s: %s", t.Turn, others(t.Place), t.Message))
		}
		if t.State == conversation.Waits {
			lines = append(lines, fmt.Sprintf("- turn %s waits for your answer: %s", t.Turn, phrase.FirstLine(*t.Question, 200)))
		}
	}
	if len(lines) == 0 {
		return "No plan waits for you.", nil
	}
	return strings.Join(lines, "\n"), nil
}

// others says how many turns come first.
func others(n int) string {
	if n == 1 {
		return "1 other"
	}
	return fmt.Sprintf("%d others", n)
}

func joinInts(ns []int) string {
	words := make([]string, len(ns))
	for i, n := range ns {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ", ")
}

// reworkBySlash carries out /rework.
func (ts *Turns) reworkBySlash(m conversation.Request, s chat.Slash) (turnID, conversationID string, err error) {
	n := s.Plan
	if n == 0 {
		if n, err = ts.planMeant(ts.session.Context(), ts.conversations.Find(&m).ID, s); err != nil {
			return "", "", err
		}
	}
	return ts.rework(ts.session.Context(), n, conversation.Request{Message: conversation.Message{Text: s.Rest, Client: m.Client}, FromChat: m.FromChat})
}

// Rework asks for a new revision of a plan, in the plan's conversation.
func (ts *Turns) Rework(ctx context.Context, n int, feedback, client string) (turnID, conversationID string, err error) {
	return ts.rework(ctx, n, conversation.Request{Message: conversation.Message{Text: feedback, Client: client}})
}

func (ts *Turns) rework(ctx context.Context, n int, m conversation.Request) (turnID, conversationID string, err error) {
	if strings.TrimSpace(m.Text) == "" {
		return "", "", refusal.New(refusal.Invalid, "Say what should be different about plan %d.", n)
	}
	h, err := ts.board.Find(ctx, n)
	if err != nil {
		return "", "", err
	}
	if err := ts.board.Ready(h, plan.RequestRevision); err != nil {
		return "", "", err
	}
	m.Conversation, m.Revise = h.Plan().Conversation, n
	return ts.enqueue(m)
}

package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/outside"
	"redline/agent/plan"
	"redline/agent/state"
)

// begin prepares what is said to the agent, whose copy begins with the draft d, and what takes what it says.
func (o *outsideTurn) begin(ctx context.Context, d *draft.Draft) {
	brief := o.brief()
	last := o.left()
	brief.Differs = outside.Differs(o.since(ctx, d, last), last.Lost)
	again := brief.Again()
	brief.Earlier = o.earlier()
	o.heard = newHeard(o)
	o.talk.Turn = outside.Turn{Others: o.Outsiders.folders(), Request: brief.Text(), Session: last.Session, Again: again}
	o.talk.To = o.heard
	if ed := o.Session.Editor(); ed != nil {
		o.talk.Ask = func(ctx context.Context, about string, options []string) (int, error) {
			answer, err := ed.Ask(ctx, state.Question{Conversation: o.turn.Conversation.ID, Text: about, Options: options})
			return slices.Index(options, answer.Choice), err
		}
	}
}

// left returns what the agent has left of its last turn in the conversation; the zero value for nothing.
func (o *outsideTurn) left() conversation.Left {
	if last := o.choices.Left; last.Agent == o.agent.Name {
		return last
	}
	return conversation.Left{}
}

// leave keeps what the agent has left, for its next turn in the conversation. lost says why what it changed
// was thrown away, "" if it was not.
func (o *outsideTurn) leave(ctx context.Context, lost string) {
	end, last := &o.talk.End, o.left()
	if !o.talk.Began || o.program.ACP && end.Session == "" && o.talk.Err != nil {
		return // it has not heard of this turn
	}
	if ctx.Err() != nil {
		lost = "the turn was cancelled"
	}
	next := conversation.Left{Agent: o.agent.Name, Session: end.Session, Plan: last.Plan, Revision: last.Revision, Lost: lost}
	if n := o.turn.Result().Plan; n != 0 {
		if h, err := o.Board.Find(context.WithoutCancel(ctx), n); err == nil {
			next.Plan, next.Revision = n, h.Revision().Number
		}
	}
	o.Conversations.Leave(ctx, o.turn.Conversation, next)
}

// since returns the files that the agent's last revision changed, as it left them and as they are in the draft
// d. What is not known any more is left out.
func (o *outsideTurn) since(ctx context.Context, d *draft.Draft, last conversation.Left) (files []outside.Left) {
	h, err := o.Board.Find(ctx, last.Plan)
	if last.Plan == 0 || err != nil {
		return nil
	}
	p := h.Plan()
	r, ok := p.Revision(last.Revision)
	if !ok {
		return nil
	}
	texts := o.store.Texts(ctx)
	add := func(path, was string, gone bool, became string) {
		is, exists, err := d.Read(path)
		if _, hidden := errors.AsType[*draft.Refusal](err); err != nil && !hidden {
			return
		}
		files = append(files, outside.Left{Path: path, Became: became, Was: was, Is: is, Gone: gone, Exists: exists, Hidden: err != nil || o.ws.Secret(path)})
	}
	for i := range r.Changes {
		c := &r.Changes[i]
		was, err := texts(c.Proposed)
		if err != nil {
			continue
		}
		status, _ := p.File(r, c)
		became := map[plan.FileStatus]string{plan.FileApplied: "approved", plan.FileRejected: "rejected"}[status]
		add(cmp.Or(c.NewPath, c.Path), was, c.Action == plan.Delete, became)
		if c.NewPath != "" {
			add(c.Path, "", true, became)
		}
	}
	return files
}

// earlier returns what was said in the conversation before, for an agent that does not know it.
func (o *outsideTurn) earlier() string {
	var b strings.Builder
	messages, _ := o.turn.Conversation.Memory.Value().Messages("A summary:", maxTold)
	for _, m := range messages {
		who := "The user"
		if m.Role == model.RoleAssistant {
			who = "The answer"
		}
		fmt.Fprintf(&b, "%s:\n\n%s\n\n", who, strings.TrimSpace(m.Content))
	}
	return b.String()
}

// maxTold limits the part of a conversation that an agent gets, in tokens.
const maxTold = 4000

// Package slash carries out the slash commands that need no model, and returns the message that
// each of the others means.

package turn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/store"
	"redline/agent/trial"
)

// Commands carry out slash commands. Their methods may be called from any goroutine.
type Commands struct {
	Session       *session.Session
	Conversations *conversation.Conversations
	Board         *board.Board
	Decisions     *decide.Decisions
	Model         model.Provider
	Templates     *chat.Templates
	Agents        Folders
	Trials        *trial.Trials
	Traces        *conversation.Traces

	// Decide changes how the user decides on the plans of a conversation, if a setting is given,
	// and describes the result.
	Decide func(c *conversation.Conversation, setting []string) string

	// Choose returns the primary agent with a name, or a refusal that lists those that exist.
	Choose func(name string) (conversation.Agent, error)
}

// AsksModel reports whether a slash command is a message to the model. The others run at once,
// even during a turn.
func AsksModel(s chat.Slash) bool {
	return chat.SetsMode(s.Name) || s.Name == "retry" || s.Name == "new" && s.Rest != ""
}

// BeginsAnew reports whether a slash command changes the subject of its conversation: then a
// waiting question there is given up.
func BeginsAnew(s chat.Slash) bool {
	return s.Name == "new" || chat.SetsMode(s.Name) && s.Name != "ask" && s.Rest != ""
}

// Message returns the message to the model that a slash command means.
func (cs *Commands) Message(m conversation.Request, s chat.Slash) conversation.Request {
	switch {
	case s.Name == "retry":
		last, conversation, ok := cs.Conversations.Last(&m.Message)
		if !ok {
			m.Text = ""
			return m
		}
		last.Conversation, last.New, last.Again = conversation, false, true
		last.Retries, last.Answers, last.Chosen = last.Answers != nil, nil, m.Chosen
		return last
	case chat.SetsMode(s.Name):
		m.Mode, m.Slash = s.Name, s.Name
	}
	m.Text = s.Rest
	return m
}

// Run carries out a slash command that needs no model. The user typed it, so it may decide on
// the plan that it names, or on the only one that waits in the conversation.
func (cs *Commands) Run(ctx context.Context, t *conversation.Turn, s chat.Slash) error {
	if s.Name == "try" {
		return cs.try(ctx, t, s)
	}
	if chat.Deciding(s.Name) && !t.Request.Decides {
		return plan.Refuse(plan.NotAllowed, "%q was in the chat file before it was opened: type the command again to decide.", "/"+s.Name)
	}
	answer, err := cs.answer(ctx, t, s)
	if err != nil {
		return err
	}
	t.Update(func(r *conversation.Result) { r.Answer = answer })
	return nil
}

// answer carries out a slash command and returns its answer.
func (cs *Commands) answer(ctx context.Context, t *conversation.Turn, s chat.Slash) (string, error) {
	switch s.Name {
	case "new":
		return "This is a new conversation.", nil
	case "help":
		return chat.Help(), nil
	case "model":
		return cs.models(), nil
	case "status":
		return cs.status(ctx, t.Conversation)
	case "import":
		return cs.importPlan(ctx, s)
	case "rate":
		return cs.rate(ctx, t.Conversation.ID, s)
	case "trace":
		return cs.trace(ctx, t, s)
	case "template":
		return cs.Templates.List(), nil
	case "agents":
		return cs.Agents.List(), nil
	case "agent":
		return cs.agent(ctx, t, s)
	case "mode":
		return cs.mode(ctx, t, s)
	case "decide":
		return cs.Decide(t.Conversation, s.Args), nil
	case "cancel":
		stopped := cs.Conversations.Cancel(func(other *conversation.Turn) bool { return other != t })
		if len(stopped) == 0 {
			return "Nothing was running.", nil
		}
		return "Cancelled " + strings.Join(stopped, ", ") + ".", nil
	case "approve", "reject", "undo", "rollback", "revisions":
		n, err := cs.PlanMeant(ctx, t.Conversation.ID, s)
		if err != nil {
			return "", err
		}
		return cs.decide(ctx, t, n, s)
	}
	return "", plan.Refuse(plan.NotAllowed, "/%s is not in this version yet.", s.Name)
}

// Template returns the request that a template makes. Its text is never read as a command.
func (cs *Commands) Template(m conversation.Request, s chat.Slash) (conversation.Request, error) {
	name := strings.TrimSuffix(s.Args[0], ".md")
	t, from, err := cs.Templates.Find(name)
	if err != nil {
		return m, err
	}
	values, input, err := chat.TemplateValues(s.Rest)
	if err != nil {
		return m, plan.Refuse(plan.Invalid, "What follows /template %s %s.", name, err)
	}
	text, err := t.Fill(values, input)
	var missing *chat.MissingValues
	switch {
	case errors.As(err, &missing):
		return m, plan.Refuse(plan.Invalid, "The template %s %s: %s.", name, err, t.UsageOf(name))
	case err != nil:
		return m, plan.Refuse(plan.Invalid, "The template %s %s.", name, err)
	}
	if m.Mode == "" || m.Mode == "auto" {
		m.Mode = t.Mode
	}
	if from == chat.Repository {
		said := strings.Join(append(slices.Sorted(maps.Values(values)), input), " ")
		m.Typed = &said
	}
	m.Text, m.Decides = text, false
	return m, nil
}

// PlanMeant returns the plan that a slash command names, or the only one that it can mean:
// first in its conversation, then in the workspace.
func (cs *Commands) PlanMeant(ctx context.Context, conversation string, s chat.Slash) (int, error) {
	if s.Plan != 0 {
		return s.Plan, nil
	}
	plans, err := cs.Session.Store.Plans(ctx, cs.Session.Key(), store.Filter{Open: s.Name != "undo"})
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
		return 0, plan.Refuse(plan.NoSuchPlan, "There is no plan that /%s could mean.", s.Name)
	}
	return 0, plan.Refuse(plan.Invalid, "Say which plan: /%s N, where N is one of %s.", s.Name, Numbers(all))
}

// Numbers lists the numbers of plans.
func Numbers(ns []int) string {
	words := make([]string, len(ns))
	for i, n := range ns {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ", ")
}

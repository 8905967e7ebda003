package turn

import (
	"context"
	"fmt"
	"strings"

	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/phrase"
)

// status lists what waits and what runs, and the choices for a conversation.
func (cs *Commands) status(ctx context.Context, here *conversation.Conversation) (string, error) {
	plans, err := cs.Board.PlanStates(ctx, false)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, p := range plans {
		if plan.State(p.State).Open() {
			lines = append(lines, fmt.Sprintf("- plan %d, revision %d, %s: %s", p.Plan, p.Revision, plan.State(p.State).Predicate(), phrase.ClipWords(p.Goal, 72)))
		}
	}
	for _, t := range cs.Conversations.States() {
		switch {
		case t.State == conversation.Running && !strings.HasPrefix(t.Message, "/status"):
			lines = append(lines, fmt.Sprintf("- turn %s is running: %s", t.Turn, t.Message))
		case t.State == conversation.Queued:
			lines = append(lines, fmt.Sprintf("- turn %s waits behind %s: %s", t.Turn, phrase.Count(t.Place, "other"), t.Message))
		}
		if t.State == conversation.Waits {
			lines = append(lines, fmt.Sprintf("- turn %s waits for your answer: %s", t.Turn, phrase.FirstLine(*t.Question, 200)))
		}
	}
	if len(lines) == 0 {
		lines = []string{"No plan waits for you."}
	}
	chosen, err := cs.Conversations.Choices(ctx, here)
	if err != nil {
		return "", err
	}
	if text := chosen.String(); text != "" {
		lines = append(lines, "", "This conversation has "+text+".")
	}
	return strings.Join(lines, "\n"), nil
}

// models names the models that answer, and how many tokens they have used in this session.
func (cs *Commands) models() string {
	m := cs.Model.Info()
	text := fmt.Sprintf("The model is %s (%s).", m.Name, m.Provider)
	var others []string
	for _, of := range []struct {
		purpose model.Purpose
		what    string
	}{{model.Planning, "plans in words"}, {model.Editing, "edits"}, {model.Classifying, "classification"}, {model.Summarising, "summaries"}} {
		if name := model.For(cs.Model, of.purpose).Info().Name; name != m.Name {
			others = append(others, name+" for "+of.what)
		}
	}
	if others != nil {
		text += " Set for a purpose: " + strings.Join(others, ", ") + "."
	}
	spent := cs.Conversations.Used()
	if spent == (state.Usage{}) {
		return text
	}
	text += fmt.Sprintf(" In this session %d tokens were sent and %d received", spent.Prompt, spent.Completion)
	if spent.Cost > 0 {
		text += fmt.Sprintf(", which cost %.4f", spent.Cost)
	}
	return text + "."
}

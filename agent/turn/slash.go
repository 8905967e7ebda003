package turn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/trace"
	"redline/agent/trial"
	"redline/internal/phrase"
)

// slashCommands carry out the slash commands that need no model, and return the message that each of
// the others means. Their methods may be called from any goroutine.
type slashCommands struct{ *Turns }

// asksModel reports whether a slash command is a message to the model. The others run at once,
// even during a turn.
func asksModel(s chat.Slash) bool {
	return chat.SetsMode(s.Name) || s.Name == "retry" || s.Name == "new" && s.Rest != ""
}

// beginsAnew reports whether a slash command changes the subject of its conversation: then a
// waiting question there is given up.
func beginsAnew(s chat.Slash) bool {
	return s.Name == "new" || chat.SetsMode(s.Name) && s.Name != "ask" && s.Rest != ""
}

// Message returns the message to the model that a slash command means.
func (cs slashCommands) Message(m conversation.Request, s chat.Slash) conversation.Request {
	switch {
	case s.Name == "retry":
		last, conversation, ok := cs.Conversations.Last(&m.Message)
		if !ok {
			m.Text = ""
			return m
		}
		last.Conversation, last.New, last.Again = conversation, false, true
		last.Retries, last.Answers, last.Chosen, last.Fresh = last.Answers != nil, nil, m.Chosen, m.Fresh
		return last
	case chat.SetsMode(s.Name):
		m.Mode, m.Slash = s.Name, s.Name
	}
	m.Text = s.Rest
	return m
}

// Run carries out a slash command that needs no model. The user typed it, so it may decide on
// the plan that it names, or on the only one that waits in the conversation.
func (cs slashCommands) Run(ctx context.Context, t *conversation.Turn, s chat.Slash) error {
	if s.Name == "try" {
		return cs.try(ctx, t, s)
	}
	if chat.Deciding(s.Name) {
		if err := typedNow(&t.Request, s.Name, " to decide"); err != nil {
			return err
		}
	}
	answer, err := cs.answer(ctx, t, s)
	if err != nil {
		return err
	}
	t.Update(func(r *conversation.Result) { r.Answer = answer })
	return nil
}

// answer carries out a slash command and returns its answer.
func (cs slashCommands) answer(ctx context.Context, t *conversation.Turn, s chat.Slash) (string, error) {
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
	case "with":
		return cs.with(ctx, t, s)
	case "decide":
		return cs.changeDecide(t.Conversation, s.Args), nil
	case "cancel":
		stopped := cs.Conversations.Cancel(func(other *conversation.Turn) bool { return other != t })
		if len(stopped) == 0 {
			return "Nothing was running.", nil
		}
		return "Cancelled " + strings.Join(stopped, ", ") + ".", nil
	case "approve", "reject", "undo", "rollback", "revisions":
		n, err := cs.planMeant(ctx, t.Conversation.ID, s)
		if err != nil {
			return "", err
		}
		return cs.decide(ctx, t, n, s)
	}
	return "", plan.Refuse(plan.NotAllowed, "/%s is not in this version yet.", s.Name)
}

// Template returns the request that a template makes. Its text is never read as a command.
func (cs slashCommands) Template(m conversation.Request, s chat.Slash) (conversation.Request, error) {
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

// planMeant returns the plan that a slash command names, or the only one that it can mean:
// first in its conversation, then in the workspace.
func (cs slashCommands) planMeant(ctx context.Context, conversation string, s chat.Slash) (int, error) {
	if s.Plan != 0 {
		return s.Plan, nil
	}
	plans, err := cs.store.Plans(ctx, cs.Session.Key(), store.Filter{Open: s.Name != "undo"})
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
	return 0, plan.Refuse(plan.Invalid, "Say which plan: /%s N, where N is one of %s.", s.Name, numbers(all))
}

// numbers lists the numbers of plans.
func numbers(ns []int) string {
	words := make([]string, len(ns))
	for i, n := range ns {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ", ")
}

// status lists what waits and what runs, and the choices for a conversation.
func (cs slashCommands) status(ctx context.Context, here *conversation.Conversation) (string, error) {
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
func (cs slashCommands) models() string {
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

// trace opens the page of a trace: of the turn that is named, or of the last one of the
// conversation. The answer says which turn it is and where the page is, for an editor that opens
// nothing.
func (cs slashCommands) trace(ctx context.Context, t *conversation.Turn, s chat.Slash) (string, error) {
	found, err := cs.traceMeant(ctx, t.Conversation.ID, strings.Join(s.Args, ""))
	if err != nil {
		return "", err
	}
	path, err := cs.Traces.Write(&found)
	if err != nil {
		return "", err
	}
	t.Notify(state.Event{Kind: state.ViewAsked, View: "trace", Path: path})
	return found.Heading() + ": what the agent did is in " + path + ".", nil
}

func (cs slashCommands) traceMeant(ctx context.Context, conversation, which string) (trace.Trace, error) {
	if which == "" {
		return cs.Traces.Last(ctx, conversation)
	}
	list, err := cs.Traces.List(ctx, which)
	if err != nil {
		return trace.Trace{}, err
	}
	return list[len(list)-1], nil
}

// try runs a command on what a plan proposes. Its results are the answer.
func (cs slashCommands) try(ctx context.Context, t *conversation.Turn, s chat.Slash) error {
	if err := typedNow(&t.Request, s.Name, " to run it"); err != nil {
		return err
	}
	n, err := cs.planMeant(ctx, t.Conversation.ID, s)
	if err != nil {
		return err
	}
	r := trial.Request{Plan: n}
	if s.Rest != "" {
		r.Commands = []string{s.Rest}
	}
	return cs.Trials.TryIn(ctx, t, r)
}

// rate stores the user's rating of a plan: the named one, or the last finished one.
func (cs slashCommands) rate(ctx context.Context, conversation string, s chat.Slash) (string, error) {
	n := s.Plan
	if n == 0 {
		var err error
		if n, err = cs.lastFinished(ctx, conversation); err != nil {
			return "", err
		}
	}
	p, err := cs.Decisions.Rate(ctx, n, s.Rating)
	return fmt.Sprintf("Plan %d is rated %d of 5; redline stats shows all ratings.", n, p.Rating), err
}

// lastFinished returns the plan that was completed or cancelled last, first of the conversation,
// then of the workspace.
func (cs slashCommands) lastFinished(ctx context.Context, conversation string) (int, error) {
	for _, of := range []string{conversation, ""} {
		plans, err := cs.store.Plans(ctx, cs.Session.Key(), store.Filter{Conversation: of})
		if err != nil {
			return 0, err
		}
		plans = slices.DeleteFunc(plans, func(p *plan.Plan) bool { return p.State.Open() })
		if len(plans) > 0 {
			return slices.MaxFunc(plans, func(a, b *plan.Plan) int { return a.Updated.Compare(b.Updated) }).Number, nil
		}
	}
	return 0, plan.Refuse(plan.NoSuchPlan, "No plan is finished yet. Name the one that you rate: /rate N good.")
}

package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/agent/view"
	"redline/internal/phrase"
)

// handleTools handles a change: the model reads and stages with all tools, and what is staged at
// the end becomes a revision.
func handleTools(ctx context.Context, w *work) error {
	if w.decidesStepwise(w.turn.Conversation) {
		return handleStepwise(ctx, w)
	}
	if err := w.openDraft(ctx); err != nil {
		return err
	}
	defer w.revisions.end(w.revised)
	return w.changeDraft(ctx)
}

// changingTools returns the tools of a change. A turn that reworks a plan, or continues after a
// question, can also take staged operations out.
func (w *work) changingTools(ctx context.Context) []tool.Tool {
	tools := append(tool.All(), w.reverting())
	if w.turn.continued == nil && (w.revised == nil || len(w.revised.Revision().Operations) == 0) {
		return tools
	}
	return append(tools, w.unstaging(ctx))
}

// changeDraft has the model work on an open draft and makes a revision of it.
func (w *work) changeDraft(ctx context.Context) error {
	about, err := w.reworked(ctx)
	if err != nil {
		return err
	}
	messages, err := w.request(ctx, w.changeSystem(), about)
	if err != nil {
		return err
	}
	reusable := w.reusing(messages)
	if reusable != nil && !w.turn.request.Again && w.again(ctx, reusable) {
		return w.conclude(ctx, nil)
	}
	if err := w.conclude(ctx, w.converse(ctx, messages, w.changingTools(ctx), w.hooks())); err != nil {
		return err
	}
	if h := w.Board.Held(w.turn.Result().Plan); reusable != nil && h != nil && w.undone.None() {
		reusable.Keep(h.Number(), h.Revision(), w.outcome.Text, w.outcome.Messages)
	}
	return nil
}

// stepsInWords lists the steps of a plan and their progress for a model; "" for none.
func stepsInWords(p *plan.Plan, r *plan.Revision) string {
	var b strings.Builder
	for i, status := range p.Steps(r, p.Operations(r)) {
		s := &r.Steps[i]
		if i == 0 {
			b.WriteString("\nSteps:\n")
		}
		fmt.Fprintf(&b, "- %s: %s (%s)", s.ID, phrase.FirstLine(s.Description, 200), strings.ReplaceAll(string(status), "_", " "))
		if len(s.DependsOn) > 0 {
			fmt.Fprintf(&b, "; after %s", strings.Join(s.DependsOn, ", "))
		}
		if s.When != nil {
			fmt.Fprintf(&b, "; %s", s.When)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// changeSystem returns the system prompt of a change.
func (w *work) changeSystem() string {
	system := w.prompt("system") + "\n" + w.prompt("steps")
	if w.mode() == "plan" || w.flags != nil && w.flags.Plan {
		system += "\n" + w.prompt("plan")
	}
	return system
}

// reworked describes to a model the plan that is being reworked, and what the user rejected of
// it; "" if the turn begins a plan.
func (w *work) reworked(ctx context.Context) (string, error) { return w.reworkedAs(ctx, "rework") }

// reworkedAs does what reworked does, with another prompt before the plan.
func (w *work) reworkedAs(ctx context.Context, prompt string) (string, error) {
	if w.revised == nil {
		return "", nil
	}
	p, r := w.revised.Now()
	rejected, err := view.ReportRejections(p, w.prompt("rejected"), w.ws.Secret, w.store.Texts(ctx))
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("%s\nGoal: %s\n\n%s\n", w.prompt(prompt), p.Goal, w.description(r, prompt == "rework"))
	if len(r.Steps) != 1 || r.Steps[0].Description != p.Goal { // else the only step says nothing new
		text += stepsInWords(p, r)
	}
	if list := operationsInWords(p, r, w.taken); list != "" {
		text += "\nIts operations:\n" + list
	}
	if rejected != "" {
		text += "\n" + rejected
	}
	return text, nil
}

// description returns the description of a revision for a model. If the model gets the earlier
// messages too, and one of them is that text, it only says so.
func (w *work) description(r *plan.Revision, recalls bool) string {
	text := strings.TrimSpace(r.Description)
	if recalls && len(text) > shortDescription && slices.ContainsFunc(w.said(), func(m model.Message) bool {
		return m.Role == model.RoleAssistant && strings.TrimSpace(m.Content) == text
	}) {
		return fmt.Sprintf("It is described in your answer above that begins %q.", phrase.FirstLine(text, shortDescription/2))
	}
	return r.Description
}

// shortDescription is the size of a description, in bytes, that is simply repeated.
const shortDescription = 120

// handleAsk handles a question: the model has only tools that read.
func handleAsk(ctx context.Context, w *work) error {
	w.env = w.envFor(draft.New(w.ws))
	messages, err := w.request(ctx, w.prompt("ask"), "")
	if err != nil {
		return err
	}
	return w.conclude(ctx, w.converse(ctx, messages, tool.Reading(), w.hooks()))
}

// reusing returns the request of a turn for package reuse. It returns nil unless the request is
// the first message of a conversation, begins a new plan, and no agent limits what the turn may
// do.
func (w *work) reusing(messages []model.Message) *Request {
	m := &w.turn.request
	if !w.settings.ReusePlans || w.agent != nil || w.builtin() || w.revised != nil || m.Revise != 0 || m.Comment != nil || m.Answers != nil || !w.begins {
		return nil
	}
	told := append(slices.Clone(messages[:len(messages)-1]), w.factless) // the files that the model read decide whether its work can be repeated, not the facts
	return For(w.Session, Message{
		Route: w.route, Mode: m.Mode, Quoted: m.Quoted, Own: m.Own(), Text: m.Text, Told: told,
		Model: model.For(w.Model, model.Editing).Info(), Limits: w.settings.Limits, Reach: w.Reach.String(),
	})
}

// again repeats what was done for an equal request, and leaves w as if the model had worked. It
// returns false if the model has to be asked.
func (w *work) again(ctx context.Context, r *Request) bool {
	made, ok := r.Again(ctx, w.envFor, w.revisions.liveText)
	if !ok {
		return false
	}
	hooks := w.hooks()
	for _, c := range made.Calls {
		hooks.Tool(c.Tool, c.Result.Summary)
		for _, s := range c.Result.Staged {
			hooks.Staged(s)
		}
	}
	said := fmt.Sprintf("This is plan %d once more, without asking the model: the same was asked, and no file that it looked at has changed. /retry asks the model.", made.Plan)
	w.turn.Notify(state.Event{Kind: state.Noticed, Reused: made.Plan, Text: said})
	w.env = w.envFor(made.Draft)
	w.outcome = loop.Outcome{Text: strings.TrimSpace(made.Answer + "\n\n" + said)}
	w.turn.Update(func(r *conversation.Result) { r.Answer, r.Usage = w.outcome.Text, asUsage(w.aside) })
	return true
}

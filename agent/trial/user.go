package trial

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/internal/phrase"
	"redline/workspace/runner"
)

// Request is a user's request to try commands on a plan.
type Request struct {
	Plan     int
	Revision int      // 0 means the current one
	Commands []string // empty: those of the plan, in order, or else the one that was tried last
	Cwd      string   // workspace path of the folder of Commands, "" for the root
}

// folder returns Cwd, or "" if it names the root in another way.
func (r Request) folder() string {
	if clean := path.Clean(r.Cwd); clean != "." {
		return clean
	}
	return ""
}

// Try tries commands on the texts that a plan would leave, as a turn of the plan's conversation,
// and returns the turn's id. The results are stored with the plan. A refusal says why nothing is
// tried.
func (t *Trials) Try(ctx context.Context, r Request) (turn string, err error) {
	h, commands, err := t.prepare(ctx, r)
	if err != nil {
		return "", err
	}
	message := conversation.Message{Text: fmt.Sprintf("/try %d", r.Plan), Conversation: h.Plan().Conversation}
	if len(r.Commands) > 0 {
		message.Text += " " + phrase.OneLine(plan.CommandIn(strings.Join(r.Commands, "; "), r.folder()))
	}
	turn, _ = t.conversations.Do(conversation.Request{Message: message}, func(ctx context.Context, turn *conversation.Turn) error {
		return t.tryAll(ctx, turn, r.Plan, commands)
	})
	return turn, nil
}

// TryIn does what Try does, in a turn that runs already: that of a slash command.
func (t *Trials) TryIn(ctx context.Context, turn *conversation.Turn, r Request) error {
	_, commands, err := t.prepare(ctx, r)
	if err != nil {
		return err
	}
	return t.tryAll(ctx, turn, r.Plan, commands)
}

// prepare returns the plan and the commands of a request, or a refusal.
func (t *Trials) prepare(ctx context.Context, r Request) (*board.Held, []Command, error) {
	h, err := t.board.Find(ctx, r.Plan)
	if err != nil {
		return nil, nil, err
	}
	p := h.Plan()
	if r.Revision != 0 && r.Revision != p.Current {
		return nil, nil, plan.Refuse(plan.HashMismatch, "Plan %d is at revision %d now: commands are tried on what it proposes now.", r.Plan, p.Current)
	}
	if err := t.Allowed(ctx); err != nil {
		return nil, nil, plan.Refuse(plan.NotAllowed, "%s", phrase.Sentence(phrase.TrimStop(err.Error())))
	}
	commands := t.commandsOf(p, r)
	if len(commands) == 0 {
		return nil, nil, plan.Refuse(plan.Invalid, "Plan %d has no command to try: name one.", r.Plan)
	}
	return h, commands, nil
}

// commandsOf returns the commands to try on a plan.
func (t *Trials) commandsOf(p *plan.Plan, asked Request) (commands []Command) {
	for _, line := range asked.Commands {
		commands = append(commands, Command{Line: line, Cwd: asked.folder()})
	}
	if len(commands) > 0 {
		return commands
	}
	if r, ok := p.Revision(p.Current); ok {
		for _, o := range r.CommandLines() {
			commands = append(commands, Command{Line: o.Command, Cwd: o.Folder()})
		}
	}
	if last := len(p.Trials) - 1; len(commands) == 0 && last >= 0 {
		commands = append(commands, Command{Line: p.Trials[last].Command, Cwd: p.Trials[last].Cwd})
	}
	return commands
}

// tryAll tries commands in order, and answers with their results.
func (t *Trials) tryAll(ctx context.Context, turn *conversation.Turn, n int, commands []Command) error {
	var said []string
	for _, c := range commands {
		result, err := t.tryOne(ctx, turn, n, c)
		if err := whyNot(ctx, err); err != nil {
			return err
		}
		said = append(said, result.ForUser(n))
		turn.Update(func(r *conversation.Result) { r.Answer = strings.Join(said, "\n\n") })
	}
	return nil
}

// whyNot returns the reason why a trial has no result.
func whyNot(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*plan.Refusal](err); ok {
		return err
	}
	return plan.Refuse(plan.NotAllowed, "%s", phrase.Sentence(phrase.TrimStop(err.Error())))
}

func (t *Trials) tryOne(ctx context.Context, turn *conversation.Turn, n int, c Command) (*Result, error) {
	h, err := t.board.Find(ctx, n)
	if err != nil {
		return nil, err
	}
	without := view.UnsavedTexts(t.ws)
	v := t.board.View(h)
	turn.Notify(state.Event{Kind: state.ToolCalled, Name: "try_command", Summary: "trying " + c.Named()})
	result, err := t.Run(ctx, c, without.WithPlan(v), without, v.Plan.Goal, func(s runner.Stream, text string) {
		turn.Notify(state.Event{Kind: state.TrialRan, Stream: string(s), Text: text})
	})
	if err != nil || ctx.Err() != nil {
		return nil, err
	}
	view.AddApplied(&result.Trial, v)
	result.Revision = v.Revision.Number
	kept, err := t.board.AddTrial(ctx, h, result.Trial)
	if err != nil { // the answer has the result anyway
		turn.Warn("The result of the trial is not kept with the plan: " + phrase.SentenceOf(err))
	}
	result.Trial = kept
	t.board.RefreshShown(h)
	current := slices.Contains(view.CurrentTrials(t.ws, t.board.View(h)), kept.ID)
	turn.Notify(state.Event{Kind: state.TrialRan, PlanNumber: n, Trial: state.NewTrial(&result.Trial, current)})
	return result, nil
}

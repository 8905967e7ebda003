package trial

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/commands"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/internal/fence"
	"redline/internal/phrase"
	"redline/workspace/secrets"
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
	h, commands, err := t.Prepare(ctx, r)
	if err != nil {
		return "", err
	}
	message := conversation.Message{Text: fmt.Sprintf("/try %d", r.Plan), Conversation: h.Plan().Conversation}
	if len(r.Commands) > 0 {
		message.Text += " " + phrase.OneLine(secrets.MaskedCommand(plan.CommandIn(strings.Join(r.Commands, "; "), r.folder())))
	}
	turn, _ = t.conversations.Do(conversation.Request{Message: message}, func(ctx context.Context, turn *conversation.Turn) error {
		return t.tryAll(ctx, turn, r.Plan, commands)
	})
	return turn, nil
}

// TryIn does what Try does, in a turn that runs already: that of a slash command.
func (t *Trials) TryIn(ctx context.Context, turn *conversation.Turn, r Request) error {
	_, commands, err := t.Prepare(ctx, r)
	if err != nil {
		return err
	}
	return t.tryAll(ctx, turn, r.Plan, commands)
}

// Prepare returns the plan and the commands of a request, or a refusal.
func (t *Trials) Prepare(ctx context.Context, r Request) (*board.Held, []Command, error) {
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
	commands := commandsOf(p, r)
	if len(commands) == 0 {
		return nil, nil, plan.Refuse(plan.Invalid, "Plan %d has no command to try: name one.", r.Plan)
	}
	return h, commands, nil
}

// commandsOf returns the commands to try on a plan.
func commandsOf(p *plan.Plan, asked Request) (commands []Command) {
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
	result, err := t.Run(ctx, c, without.WithPlan(v), without, v.Plan.Goal, TellIn(turn))
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
	t.previews.RefreshShown(h)
	current := slices.Contains(view.CurrentTrials(t.ws, t.board.View(h)), kept.ID)
	turn.Notify(state.Event{Kind: state.TrialRan, PlanNumber: n, Trial: state.NewTrial(&result.Trial, current)})
	return result, nil
}

// Result is the result of a trial.
type Result struct {
	plan.Trial

	failures []string // the failures in its output
	before   []string // the failures in the output without the plan's edits
	refused  string   // what it could not write, see [commands.RefusedByWorld]
	ending   string   // why it did not exit by itself, a sentence
	help     string   // what helps a command that ran out of time, "" for nothing
	hidden   []string // paths of files that it named and that were hidden, because they may hold secrets
}

// ForModel returns the result as the answer to the model that asked for it. of describes the
// texts: "with your staged edits".
func (r *Result) ForModel(of string) string {
	var b strings.Builder
	ending := strings.TrimSuffix(r.ending, ".")
	if r.ExitCode != nil {
		ending = fmt.Sprintf("exit code %d", *r.ExitCode)
	}
	fmt.Fprintf(&b, "%s after %s (%s)\n", ending, phrase.Took(r.Millis), of)
	switch {
	case r.Output == "":
		b.WriteString("It printed nothing.\n")
	case r.Passed():
		b.WriteString(strings.TrimSuffix(commands.Passed(r.Output), "\n") + "\n")
	default:
		b.WriteString(strings.TrimSuffix(r.Output, "\n") + "\n")
	}
	if r.help != "" {
		b.WriteString(r.help + "\n")
	}
	if text := r.compared(); text != "" {
		b.WriteString(text + "\n")
	}
	if r.refused != "" {
		b.WriteString(r.refused + "\n")
	}
	if !r.Passed() && len(r.hidden) > 0 {
		fmt.Fprintf(&b, "Not there in a trial, since they may hold secrets: %s.\n", phrase.And(phrase.FirstOf(r.hidden, 5, "file")))
	}
	return b.String()
}

// ForUser returns the result for the user: a sentence, and the output if the command failed.
func (r *Result) ForUser(n int) string {
	text := fmt.Sprintf("%s %s on what plan %d proposes, after %s.", Command{Line: r.Command, Cwd: r.Cwd}.Named(), r.Words(), n, phrase.Took(r.Millis))
	if r.Problem != "" {
		text += " " + r.Problem
	}
	if r.Passed() || r.Output == "" {
		return text
	}
	marks := fence.Around(r.Output)
	return text + "\n\n" + marks + "\n" + strings.TrimSuffix(r.Output, "\n") + "\n" + marks
}

// compared describes what the result means: the command's result without the plan's edits, or what
// was missing. It returns "" if nothing is known.
func (r *Result) compared() string {
	switch b := r.Baseline; {
	case r.Class == plan.CouldNotRun && r.ExitCode == nil:
		return ""
	case r.Class == plan.CouldNotRun:
		return fmt.Sprintf("It could not be run in a trial: %s. This says nothing of your edits: say in your answer that it was not checked.", r.Why)
	case b == nil || b.ExitCode == nil:
		return ""
	case *b.ExitCode == 0:
		return "without your edits: exit code 0: your edits broke it"
	case r.Class == plan.StillFails:
		return fmt.Sprintf("without your edits: exit code %d too%s. The user asked about it, or your edits change it: fix it.", *b.ExitCode, r.sameFailures())
	default:
		return fmt.Sprintf("without your edits: exit code %d too%s", *b.ExitCode, r.sameFailures())
	}
}

// maxNamed is how many failing tests are named.
const maxNamed = 5

// sameFailures compares the failures with a plan's edits and without: ", the same 2 failures",
// ", but 1 failure more: TestSum".
func (r *Result) sameFailures() string {
	added, same, gone := r.compare()
	name := func(tests []string) string { return phrase.And(phrase.FirstOf(tests, maxNamed, "test")) }
	var text string
	switch {
	case r.stopsEarlier():
		return ", but there it got as far as the tests: " + phrase.Count(len(r.before), "failure") + ": " + name(r.before)
	case len(added)+len(same)+len(gone) == 0:
		return ""
	case len(added) > 0:
		text = fmt.Sprintf(", but %s more: %s", phrase.Count(len(added), "failure"), name(added))
	case len(gone) > 0:
		return fmt.Sprintf(", with %s; %d left: %s", phrase.Count(len(r.before), "failure"), len(same), name(same))
	default:
		return ", the same " + phrase.Count(len(same), "failure") + ": " + name(same)
	}
	if len(same) > 0 {
		text += "; in both: " + name(same)
	}
	return text
}

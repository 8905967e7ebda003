package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"redline/agent"
	"redline/agent/chat"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
)

// approved is the result of an approval and of the commands that it allowed.
type approved struct {
	state.Result
	report *string // the model's report on the commands, nil for none
	failed error   // why a command failed, or the model's report
}

// approvePlan approves, then waits for the allowed commands and for the model's report on
// them. A missing report is printed, and is not an error.
func approvePlan(ctx context.Context, a *agent.Agent, c *console, d view.Request) (r approved, err error) {
	r.Result, err = a.Approve(context.WithoutCancel(ctx), d) // an interrupt comes before or after all edits
	if err != nil || r.Turn == "" {
		return r, err
	}
	turn, err := a.Conversations.Wait(ctx, r.Turn)
	if err != nil {
		a.Cancel(r.Turn)
		_, _ = a.Conversations.Wait(context.WithoutCancel(ctx), r.Turn) // what it still says comes before what is read next
		r.failed = errors.New("interrupted: redline plans show lists what was done")
		return r, nil
	}
	if r.failed = a.Conversations.Failure(r.Turn); r.failed != nil {
		if p, err := a.Board.PlanState(ctx, d.Plan); err == nil && commandFailed(&p) {
			r.failed = commandError{r.failed}
		}
	}
	if turn.Report == "" {
		return r, nil
	}
	switch report, err := await(ctx, a, turn.Report); {
	case err != nil || report.Error != nil:
		fmt.Fprintf(c.err, "redline: the model did not report on the commands: %s\n", edits.Visible(cmp.Or(err, a.Conversations.Failure(turn.Report)).Error()))
	default:
		r.report = report.Answer
	}
	return r, nil
}

// tellReport prints the model's report on the commands of a plan.
func printReport(c *console, report *string) {
	if report != nil && !c.json {
		if c.live == nil { // otherwise it was printed while it arrived
			fmt.Fprintln(c.out)
		}
		c.answer(*report)
	}
}

// askCommands asks at a terminal about each remaining command of a plan, in order, and
// runs or rejects it. It stops after a failed command, and when the user wants to decide
// later. report is the model's report on the last commands, nil for none.
func askCommands(ctx context.Context, a *agent.Agent, con *console, n int) (report *string, err error) {
	for {
		p, err := a.Board.PlanState(ctx, n)
		if err != nil {
			return nil, err
		}
		command := pendingCommand(&p)
		if command == nil || !plan.State(p.State).Open() {
			return report, nil
		}
		answer, err := con.Ask(ctx, state.Question{
			Text: fmt.Sprintf("Run `%s`%s", commandText(command.Command), plan.InFolder(command.Cwd)), Options: []string{"yes", "no", "later"},
		})
		if err != nil {
			return report, errors.New("interrupted: redline plans show lists what was done")
		}
		d := view.Request{Plan: n, Hash: p.Hash, Operation: command.ID, Way: view.ByChoice, Client: clientName}
		var done approved
		switch answer.Choice {
		case "yes":
			done, err = approvePlan(ctx, a, con, d)
			report = done.report
		case "no":
			_, err = a.Reject(ctx, d)
		default:
			return report, nil
		}
		if err = cmp.Or(err, done.failed); err != nil {
			return report, err
		}
	}
}

// commandFailed reports whether a command of a plan failed, but no file.
func commandFailed(p *state.Plan) bool {
	return slices.ContainsFunc(p.Commands, func(c state.Command) bool { return c.Status == string(plan.CommandFailed) }) &&
		!slices.ContainsFunc(p.Files, func(f state.File) bool { return f.Status == string(plan.FileFailed) })
}

// waits reports whether any edit of a plan is undecided.
func waits(p *state.Plan) bool {
	return slices.ContainsFunc(p.Files, func(f state.File) bool {
		return f.Status == string(plan.FilePending) || f.Status == string(plan.FileStale)
	})
}

// pendingCommand returns the first undecided command that can run now, nil if there is
// none.
func pendingCommand(p *state.Plan) *state.Command {
	for i := range p.Commands {
		if p.Commands[i].Status == string(plan.CommandPending) && p.Commands[i].Waits == "" {
			return &p.Commands[i]
		}
	}
	return nil
}

// tellCommands prints the results of a plan's commands.
func tellCommands(c *console, p *state.Plan) {
	for _, command := range p.Commands {
		if command.Status == string(plan.CommandPending) {
			continue
		}
		fmt.Fprintln(c.out, commandAndResult(&command))
	}
}

// commandAndResult describes a command and its result.
func commandAndResult(c *state.Command) string {
	code := ""
	if c.ExitCode != nil && *c.ExitCode != 0 {
		code = fmt.Sprintf(", exit code %d", *c.ExitCode)
	}
	return fmt.Sprintf("%s: %s%s%s", commandText(plan.CommandIn(c.Command, c.Cwd)), commandWord(c), code, because(c.Reason))
}

// commandWord returns the status of a command in words.
func commandWord(c *state.Command) string {
	return plan.CommandWords(plan.CommandStatus(c.Status), plan.Class(c.Verdict))
}

// answerTo asks the question of a turn at the terminal, and returns the line typed, ""
// for no answer. The error is that of ctx: the user may stop the program instead.
func (c *console) answerTo(ctx context.Context, turn state.Turn) (string, error) {
	c.answer(*turn.Answer)
	return c.ask(ctx, "\nYour answer: ")
}

// tellWaiting prints how to answer the question with which a run ended.
func (c *console) tellWaiting(kept bool, r *runResult) {
	switch {
	case r.Question == nil:
	case !kept:
		fmt.Fprintln(c.out, "\nThe question was not kept: ask again, and add the answer to your request.")
	default:
		fmt.Fprintf(c.out, "\nRedline waits for your answer: redline run --conversation %s 'ANSWER'\n", edits.Visible(r.Conversation))
	}
}

// tellChosen prints how to go on with a conversation for which a request has chosen something: the
// next run begins another one.
func (c *console) tellChosen(request string) {
	s, ok, err := chat.ParseSlash(request)
	if ok && err == nil && len(s.Args) > 0 && slices.Contains([]string{"mode", "agent", "decide", "with"}, s.Name) {
		fmt.Fprintln(c.out, "The next run begins another conversation; to continue this one: redline run --continue 'REQUEST'")
	}
}

// dropTyped drops what was typed before a question on what may be done, where users type requests too: they
// have not seen the question.
func dropTyped(c *console) {
	if c.requests != nil {
		_, _ = c.lines.Discard(c.lines.Buffered())
		c.requests.drop()
	}
}

// ask prints a prompt and reads a line.
func (c *console) ask(ctx context.Context, prompt string) (string, error) {
	line, _, err := c.read(ctx, prompt)
	return line, err
}

// read is like ask, and also reports whether the input has ended, so that no more answers
// can come.
func (c *console) read(ctx context.Context, prompt string) (line string, closed bool, err error) {
	defer c.line.Hold()()
	c.line.Break()
	fmt.Fprint(folding(c.err), prompt)
	if in := file(c.in); in != nil && isTerminal(c.in) && c.lines.Buffered() == 0 {
		awaitInput(ctx, in)
	}
	if ctx.Err() == nil {
		line, err = lineOf(ctx, c.lines)
	}
	if ctx.Err() != nil {
		fmt.Fprintln(c.err)
		return "", false, ctx.Err()
	}
	c.line.Fresh()
	c.mu.Lock()
	c.spoke = true // a reply begins below a blank line
	c.mu.Unlock()
	return line, err != nil, nil // a closed input counts as no answer
}

// askTrials asks the user at the terminal whether models may try commands in this
// workspace, if trials are possible and the user has not decided yet. The error is that
// of ctx.
func askTrials(ctx context.Context, a *agent.Agent, c *console) error {
	example, ask := a.Trials.Question(ctx)
	if !ask {
		return nil
	}
	answer, err := c.Ask(ctx, state.Question{
		Text:    fmt.Sprintf("May models try commands, such as `%s`, in an isolated copy of this workspace before you approve anything?", phrase.Clip(phrase.OneLine(example), 60)),
		Options: []string{"yes", "no", "later"},
	})
	if err != nil {
		return errInterrupted
	}
	switch answer.Choice {
	case "yes":
		err = a.Trials.Allow(ctx)
	case "no":
		if err = a.Trials.Forbid(ctx); err == nil {
			fmt.Fprintln(c.err, "Commands are not tried here. `redline trials allow` allows it.")
		}
	}
	if err != nil { // the turn does not depend on it
		fmt.Fprintln(c.err, "redline:", err)
	}
	return nil
}

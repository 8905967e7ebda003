package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"redline/agent/commands"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/runner"
	"redline/workspace/toolfolders"
	"redline/workspace/world"
)

// tellRunning announces that a command runs.
func (e *executor) tellRunning(o *plan.Operation) {
	e.ex.board.Announce(e.held, e.turn.ID)
	e.turn.Notify(state.Event{Kind: state.ToolCalled, ID: o.ID, Name: o.Tool, Summary: "running " + quotedIn(o)})
}

// observe runs a command that has begun, within the time that is left, and returns its result.
func (e *executor) observe(ctx context.Context, o *plan.Operation, within room) (seen commands.Observation) {
	ex := e.ex
	switch {
	case within.limited && within.left <= 0:
		return e.notRun()
	case o.CallsServer(): // a call of a tool server, whose arguments no shell sees
		if within.limited {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, within.left)
			defer cancel()
		}
		seen = ex.reach.Run(ctx, o)
	default:
		args := o.CommandArgs()
		shorter := within.shortens(args, ex.options.Command.Limits.Time)
		if shorter {
			args.Timeout = within.left
		}
		outcome, err := ex.runLine(ctx, e.turn.ID, e.turn.Conversation.ID, o, args)
		if seen = commands.Observe(outcome, err); shorter && err == nil && outcome.End == runner.TimedOut {
			seen = e.endedBy(outcome, seen)
		}
	}
	if seen.ExitCode == nil && ex.root.Err() != nil {
		seen.Problem = "Redline was ended while it ran, and has ended it."
	}
	return seen
}

// Limits of a command's output, in bytes: for what is read (its beginning and its end), for the
// excerpt that is kept with the plan, and for the excerpt in the message about a failure, since
// users dismiss a message that fills the screen.
const (
	maxRead = 1 << 20
	maxKept = 32 << 10
	maxTold = 1 << 10
)

// runLine runs a command line for a turn. The error says why it was not started.
func (ex *Executors) runLine(ctx context.Context, turn, conversation string, o *plan.Operation, args plan.CommandArgs) (outcome runner.Outcome, err error) {
	command, err := ex.runnerCommand(o, args)
	if err != nil {
		return runner.Outcome{}, err
	}
	run := ex.options.Run
	if run == nil {
		run = runner.Run
	}
	err = session.Contain(func() (err error) { // a panic there must not leave the plan executing
		outcome, err = run(ctx, command, func(s runner.Stream, text string) {
			ex.session.Notify(state.Event{Kind: state.CommandPrinted, Turn: turn, Conversation: conversation, ID: o.ID, Stream: string(s), Text: text})
		})
		return err
	})
	ex.noticeUnconfined(outcome, err)
	return outcome, err
}

// noticeUnconfined tells the user, once per session, that nothing limits where commands write.
func (ex *Executors) noticeUnconfined(o runner.Outcome, err error) {
	if err == nil && !o.Confined && ex.options.Confine != runner.ConfineOff {
		ex.unconfined.Do(func() {
			ex.session.Notify(state.Event{Kind: state.Noticed, Text: "What approved commands write is not limited here: " + runner.Supports().What + "."})
		})
	}
}

// runnerCommand converts an operation to the form that the runner takes.
func (ex *Executors) runnerCommand(o *plan.Operation, args plan.CommandArgs) (runner.Command, error) {
	c := ex.options.Command
	c.Line, c.Left = o.Command, ex.ws.Leftovers()
	c.Limits.Output = cmp.Or(c.Limits.Output, maxRead)
	folders := ex.ws.Folders()
	if len(folders) == 0 {
		return c, errors.New("no folder is open")
	}
	for _, f := range folders {
		c.Write = append(c.Write, f.Dir)
	}
	c.Write = append(c.Write, ex.caches(c.Write)...)
	if args.Timeout > 0 && (c.Limits.Time == 0 || args.Timeout < c.Limits.Time) {
		c.Limits.Time = args.Timeout
	}
	c.Dir = folders[0].Dir
	if args.Cwd == "" {
		return c, nil
	}
	path, err := ex.ws.WorkFolder(args.Cwd)
	if err != nil || path == "" {
		return c, err
	}
	if _, isDir, err := ex.ws.Stat(path); err != nil || !isDir {
		return c, cmp.Or(err, fmt.Errorf("there is no folder %s", path))
	}
	dir, err := ex.ws.RealName(path)
	c.Dir = filepath.Clean(dir)
	return c, err
}

// caches returns the folders outside the workspaces that commands may write, and creates those
// that do not exist yet: a tool that runs for the first time could not, since their parents
// are read-only for it. The runner leaves out one that cannot be created.
func (ex *Executors) caches(workspaces []string) []string {
	if ex.options.Caches == nil {
		return nil
	}
	// Links may lead elsewhere by now.
	dirs := world.Outside(world.Shown(ex.options.Caches(), toolfolders.Homes()), workspaces)
	for _, dir := range dirs {
		_ = os.MkdirAll(dir, 0o700)
	}
	return dirs
}

// note records in next the result of a command, and what follows from it for the rest of the queue.
func (e *executor) note(next *plan.Plan, one finished) {
	r, o, seen := e.held.Revision(), one.command, one.seen
	skipped, goesOn := markResult(next, r, one)
	result := fmt.Sprintf("%s: %s.", quotedIn(o), seen.Ending())
	if mark := next.Progress.Command(o.ID); !goesOn {
		result = fmt.Sprintf("%s %s (%s).", quotedIn(o), mark.Words(), seen.Ending())
		if seen.ExitCode == nil {
			result = fmt.Sprintf("%s failed. %s", quotedIn(o), phrase.FullStop(seen.Ending()))
		}
		if mark.Tolerated && e.failure == "" { // the plan has not failed, but what comes after the command may need it
			e.collect()
			e.dequeue(append(skipped, o.ID))
			goesOn = len(e.queue) == 0
		}
	}
	if seen.Refused != "" {
		result += " " + seen.Refused
	}
	switch {
	case goesOn && e.failure == "":
		e.collect()
		e.dequeue(append(skipped, o.ID))
		e.results = append(append(e.results, result), skippedInWords(next, r, skipped)...)
	case goesOn || e.failure != "": // another has failed already
		e.results = append(e.results, result)
	default:
		e.close()
		e.dequeue([]string{o.ID})
		e.stop(next, o.ID, result)
	}
}

// markOf returns the result of a command as that of a failure.
func markOf(one finished) plan.CommandMark {
	return plan.CommandMark{
		Status: plan.CommandFailed, ExitCode: one.seen.ExitCode, Output: commands.Excerpt(one.seen.Output, maxKept),
		Reason: one.seen.Reason(), Verdict: one.verdict,
	}
}

// markResult records the result of a command in next, a value of the plan with the revision r.
// skipped lists the commands that will not run because of it, goesOn says whether the others will.
func markResult(next *plan.Plan, r *plan.Revision, one finished) (skipped []string, goesOn bool) {
	o, seen := one.command, one.seen
	mark := markOf(one)
	next.Progress.MarkCommand(o.ID, mark)
	verdict := commands.Conclude(seen, !o.CallsServer() && o.CommandArgs().Continues, func() (awaited bool) {
		skipped, awaited = next.SettleFailure(r, o.ID)
		return awaited
	})
	switch {
	case verdict.Succeeded:
		mark.Status = plan.CommandSucceeded
	case verdict.Continue, mark.Verdict == plan.FailsAsBefore:
		mark.Tolerated = true
	default:
		return nil, false
	}
	next.Progress.MarkCommand(o.ID, mark)
	return append(skipped, next.SkipUnmet(r)...), verdict.Continue
}

// stop ends the queue after a command has failed with result: it marks the remaining commands as
// skipped in next.
func (e *executor) stop(next *plan.Plan, failed, result string) {
	mark := next.Progress.Command(failed)
	e.failure, e.printed = result, commands.Excerpt(mark.Output, maxTold)
	if len(e.queue) > 0 {
		e.failure += fmt.Sprintf(" Not run: %s.", strings.Join(e.queue, ", "))
	}
	if mark.Tolerated {
		e.failure += " Approve the plan with its commands again to continue from there."
	} else {
		e.failure += " Approve the plan with its commands again to run it again and continue from there, or rework it to fix what failed."
	}
	for _, id := range e.queue {
		next.Progress.MarkCommand(id, plan.CommandMark{Status: plan.CommandSkipped, Reason: fmt.Sprintf("command %s failed before it", failed)})
	}
	e.queue = nil
}

func (e *executor) dequeue(ids []string) {
	e.queue = slices.DeleteFunc(e.queue, func(id string) bool { return slices.Contains(ids, id) })
	for _, id := range ids {
		delete(e.runNow, id)
	}
}

// skippedInWords returns a sentence for each skipped command that says why it was skipped.
func skippedInWords(p *plan.Plan, r *plan.Revision, ids []string) (sentences []string) {
	for _, id := range ids {
		o, _ := r.Operation(id)
		sentences = append(sentences, fmt.Sprintf("%s was skipped: %s.", quotedIn(o), phrase.TrimStop(p.Progress.Command(id).Reason)))
	}
	return sentences
}

// quotedIn quotes a command for a sentence, with its folder: "`make` in tools".
func quotedIn(o *plan.Operation) string { return quoted(o.Command) + plan.InFolder(o.Folder()) }

// quoted quotes a command line for a sentence: one short line of visible characters, with runs
// of spaces shortened.
func quoted(command string) string {
	words := strings.FieldsFunc(strings.Trim(command, " \t\n"), func(r rune) bool { return r == ' ' || r == '\t' })
	return "`" + phrase.Clip(edits.VisibleLine(strings.Join(words, " ")), 120) + "`"
}

// room is how long a command may run so that all commands of its executor stay within
// [Options.Wall].
type room struct {
	limited bool
	left    time.Duration // 0 or less if no time is left
}

// room returns the time that is left while commands run that began at began. Time in which no
// command runs, for instance while one waits for a save, does not count.
func (e *executor) room(began time.Time) room {
	limit := e.ex.options.Wall
	return room{limited: limit > 0, left: limit - e.spent - e.ex.now().Sub(began)}
}

// shortens reports whether the time left is shorter than the command's own timeout.
func (r room) shortens(args plan.CommandArgs, each time.Duration) bool {
	return r.limited && (args.Timeout == 0 || r.left < args.Timeout) && (each == 0 || r.left < each)
}

// notRun returns the result of a command for which no time is left.
func (e *executor) notRun() commands.Observation {
	return commands.Observation{Problem: fmt.Sprintf("It was not run: %s.", e.limitInWords())}
}

// endedBy returns the result of a command that was stopped because the time ran out.
func (e *executor) endedBy(o runner.Outcome, seen commands.Observation) commands.Observation {
	seen.Problem = fmt.Sprintf("It was ended after %s: %s.", o.Took.Round(100*time.Millisecond), e.limitInWords())
	return seen
}

func (e *executor) limitInWords() string {
	return fmt.Sprintf("the commands of one approval may take %s together (commands.wall_seconds)", e.ex.options.Wall)
}

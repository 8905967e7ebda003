package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"redline/agent/board"
	"redline/agent/commandresult"
	"redline/agent/event"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/workspace/runner"
)

// runCommand runs a command that has begun, and records its result.
func (e *executor) runCommand(ctx context.Context, x *board.Execution, o *plan.Operation) error {
	ex := e.ex
	ex.board.Announce(e.held, e.turn.ID)
	ex.session.Notify(event.Event{Kind: event.ToolCalled, Turn: e.turn.ID, Conversation: e.turn.Conversation.ID, Name: o.Tool, Summary: "running " + quotedIn(o)})
	args := o.CommandArgs()
	var seen commandresult.Observation
	if o.CallsServer() { // its arguments are the server's, and a shell never sees it
		args, seen = plan.CommandArgs{}, ex.reach.Run(ctx, o)
	} else {
		seen = ex.runLine(ctx, e.turn.ID, e.turn.Conversation.ID, o, args)
	}
	if seen.ExitCode == nil && ex.root.Err() != nil {
		seen.Problem = "Redline was ended while it ran, and has ended it."
	}
	err := e.end(x, o, seen, args.Continues)
	e.announce()
	return err
}

// runLine runs a command line for a turn, and returns its result.
func (ex *Executors) runLine(ctx context.Context, turn, conversation string, o *plan.Operation, args plan.CommandArgs) commandresult.Observation {
	command, err := ex.runnerCommand(o, args)
	if err != nil {
		return commandresult.Observe(runner.Outcome{}, err)
	}
	run := ex.commands.Run
	if run == nil {
		run = runner.Run
	}
	var outcome runner.Outcome
	err = session.Contain(func() (err error) { // a panic there must not leave the plan executing
		outcome, err = run(ctx, command, func(s runner.Stream, text string) {
			ex.session.Notify(event.Event{Kind: event.CommandPrinted, Turn: turn, Conversation: conversation, ID: o.ID, Stream: string(s), Text: text})
		})
		return err
	})
	ex.noticeUnconfined(outcome, err)
	return commandresult.Observe(outcome, err)
}

// noticeUnconfined tells the user, once in a session, that nothing limits where commands write.
func (ex *Executors) noticeUnconfined(o runner.Outcome, err error) {
	if err == nil && !o.Confined && ex.commands.Confine != runner.ConfineOff {
		ex.unconfined.Do(func() {
			ex.session.Notify(event.Event{Kind: event.Noticed, Text: "What approved commands write is not limited here: " + runner.Supports().What + "."})
		})
	}
}

// runnerCommand returns an operation as the runner takes it.
func (ex *Executors) runnerCommand(o *plan.Operation, args plan.CommandArgs) (runner.Command, error) {
	c := ex.commands.Command
	c.Line, c.Left = o.Command, ex.ws.Leftovers()
	folders := ex.ws.Folders()
	if len(folders) == 0 {
		return c, errors.New("no folder is open")
	}
	for _, f := range folders {
		c.Write = append(c.Write, f.Dir)
	}
	c.Write = append(c.Write, ex.commands.Caches...)
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

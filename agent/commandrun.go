package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"redline/agent/event"
	"redline/agent/feedback"
	"redline/agent/plan"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/runner"
)

// runCommand runs the command that was begun, and records what came of it.
func (ex *Executors) runCommand(ctx context.Context, h *heldPlan, e *executor, x *execution, o *plan.Operation) error {
	ex.board.announce(h, e.turn.ID)
	line := quotedIn(o)
	ex.notify(event.Event{Kind: event.ToolCalled, Turn: e.turn.ID, Conversation: e.turn.Conversation.ID, Name: o.Tool, Summary: "running " + line})
	rule := feedback.RuleOf(o.Args)
	var seen feedback.Observation
	if o.CallsServer() { // its arguments are the server's, and a shell never sees it
		rule, seen = feedback.Rule{}, ex.reach.Run(ctx, o)
	} else {
		seen = ex.ranLine(ctx, e, o, rule)
	}
	if seen.ExitCode == nil && ex.root.Err() != nil {
		seen.Problem = "Redline was ended while it ran, and has ended it."
	}
	return ex.ranCommand(h, e, x, o, seen, rule)
}

// ranLine runs a command line, and says what it came to.
func (ex *Executors) ranLine(ctx context.Context, e *executor, o *plan.Operation, rule feedback.Rule) feedback.Observation {
	command, err := ex.commandFor(o, rule)
	if err != nil {
		return feedback.Observe(runner.Outcome{}, err)
	}
	run := ex.commands.Run
	if run == nil {
		run = runner.Run
	}
	var outcome runner.Outcome
	err = contained(func() (err error) { // a fault there must not leave the plan as one that is carried out
		outcome, err = run(ctx, command, func(s runner.Stream, text string) {
			ex.notify(event.Event{Kind: event.CommandPrinted, Turn: e.turn.ID, Conversation: e.turn.Conversation.ID, ID: o.ID, Stream: string(s), Text: text})
		})
		return err
	})
	ex.sayUnconfined(outcome, err)
	return feedback.Observe(outcome, err)
}

// sayUnconfined tells the user, once in a session, that what commands write is
// not limited.
func (ex *Executors) sayUnconfined(o runner.Outcome, err error) {
	if err == nil && !o.Confined && ex.commands.Confine != runner.ConfineOff {
		ex.unconfined.Do(func() {
			ex.notify(event.Event{Kind: event.Noticed, Text: "What approved commands write is not limited here: " + runner.Supports().What + "."})
		})
	}
}

// commandFor is what the runner is given for an operation.
func (ex *Executors) commandFor(o *plan.Operation, rule feedback.Rule) (runner.Command, error) {
	c := runner.Command{
		Line: o.Command, Limits: ex.commands.Limits, Env: ex.commands.Env, Secrets: ex.commands.Secrets,
		Confine: ex.commands.Confine, Namespaces: ex.commands.Namespaces, Own: ex.commands.Own, OwnFolders: ex.commands.OwnFolders, Left: ex.ws.Leftovers(),
	}
	folders := ex.ws.Folders()
	if len(folders) == 0 {
		return c, errors.New("no folder is open")
	}
	for _, f := range folders {
		c.Write = append(c.Write, f.Dir)
	}
	c.Write = append(c.Write, ex.commands.Caches...)
	if rule.Timeout > 0 && (c.Limits.Time == 0 || rule.Timeout < c.Limits.Time) {
		c.Limits.Time = rule.Timeout
	}
	c.Dir = folders[0].Dir
	if rule.Cwd == "" {
		return c, nil
	}
	path, err := ex.ws.WorkFolder(rule.Cwd)
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

// ranCommand records what a command came to, and what follows for the rest.
func (ex *Executors) ranCommand(h *heldPlan, e *executor, x *execution, o *plan.Operation, seen feedback.Observation, rule feedback.Rule) error {
	tx := ex.board.Lock(h)
	next := h.plan().Clone()
	mark := plan.CommandMark{Status: plan.CommandFailed, ExitCode: seen.ExitCode, Output: seen.Output, Reason: seen.Problem}
	next.Progress.MarkCommand(o.ID, mark)
	var skipped []string
	verdict := feedback.Judge(seen, rule, func() (awaited bool) {
		skipped, awaited = next.SettleFailure(h.revision(), o.ID)
		return awaited
	})
	switch {
	case verdict.Succeeded:
		mark.Status = plan.CommandSucceeded
		next.Progress.MarkCommand(o.ID, mark)
	case verdict.Continue:
		mark.Tolerated = true
		next.Progress.MarkCommand(o.ID, mark)
	}
	if verdict.Continue {
		skipped = append(skipped, next.SkipUnmet(h.revision())...)
	}
	ex.board.mu.Lock()
	e.queue = slices.DeleteFunc(e.queue, func(id string) bool { return id == o.ID || slices.Contains(skipped, id) })
	delete(e.at, o.ID)
	left := slices.Clone(e.queue)
	switch said := fmt.Sprintf("%s: %s.", quotedIn(o), seen.Ending()); {
	case verdict.Continue:
		e.did = append(append(e.did, said), skippedInWords(next, h.revision(), skipped)...)
	default:
		e.failed = fmt.Sprintf("Plan %d stopped at the command %s %s", h.plan().Number, o.ID, said)
		if len(left) > 0 {
			e.failed += fmt.Sprintf(" Not run: %s.", strings.Join(left, ", "))
		}
		e.failed += " Approve the plan with its commands again to go on from there, or rework it."
		e.queue, e.ended = nil, true
	}
	ex.board.mu.Unlock()
	if !verdict.Continue {
		for _, id := range left {
			next.Progress.MarkCommand(id, plan.CommandMark{Status: plan.CommandSkipped, Reason: fmt.Sprintf("command %s failed before it", o.ID)})
		}
	}
	err := tx.EndCommand(x, next)
	tx.Unlock()
	ex.board.renewPreview(h)
	ex.board.announce(h, e.turn.ID)
	return err
}

// skippedInWords says of commands that were skipped that they were, and why.
func skippedInWords(p *plan.Plan, r *plan.Revision, ids []string) (sentences []string) {
	for _, id := range ids {
		o, _ := r.Operation(id)
		sentences = append(sentences, fmt.Sprintf("%s was skipped: %s.", quotedIn(o), phrase.TrimStop(p.Progress.Command(id).Reason)))
	}
	return sentences
}

// quotedIn is a command as a sentence has it, with the folder that it runs in:
// "`make` in tools".
func quotedIn(o *plan.Operation) string { return quoted(o.Command) + plan.In(o.Folder()) }

// quoted returns a command line as a sentence has it: one bounded line of visible
// characters, in which only runs of spaces are shortened.
func quoted(command string) string {
	words := strings.FieldsFunc(strings.Trim(command, " \t\n"), func(r rune) bool { return r == ' ' || r == '\t' })
	return "`" + phrase.Clip(edits.VisibleLine(strings.Join(words, " ")), 120) + "`"
}

func counted(commands, plan int) string {
	if commands == 1 {
		return fmt.Sprintf("Run a command of plan %d", plan)
	}
	return fmt.Sprintf("Run %d commands of plan %d", commands, plan)
}

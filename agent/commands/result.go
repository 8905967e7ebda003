package commands

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/commandresult"
	"redline/agent/plan"
	"redline/edits"
	"redline/internal/phrase"
)

// end records the result of a command, and its consequences for the rest of the queue.
func (e *executor) end(x *board.Execution, o *plan.Operation, seen commandresult.Observation, continues bool) error {
	tx := e.ex.board.Lock(e.held)
	defer tx.Unlock()
	p, r := e.held.Now()
	next := p.Clone()
	skipped, goesOn := markResult(next, r, o.ID, seen, continues)
	result := fmt.Sprintf("%s: %s.", quotedIn(o), seen.Ending())
	if goesOn {
		e.collect()
		e.dequeue(append(skipped, o.ID))
		e.results = append(append(e.results, result), skippedInWords(next, r, skipped)...)
	} else {
		e.close()
		e.dequeue([]string{o.ID})
		e.stop(next, o.ID, result)
	}
	return tx.EndCommand(x, next)
}

// markResult records in next, a value of the plan with the revision r, the result of a command.
// If the plan goes on, skipped are the commands that are not to run because of it.
func markResult(next *plan.Plan, r *plan.Revision, command string, seen commandresult.Observation, continues bool) (skipped []string, goesOn bool) {
	mark := plan.CommandMark{Status: plan.CommandFailed, ExitCode: seen.ExitCode, Output: seen.Output, Reason: seen.Problem}
	next.Progress.MarkCommand(command, mark)
	verdict := commandresult.Judge(seen, continues, func() (awaited bool) {
		skipped, awaited = next.SettleFailure(r, command)
		return awaited
	})
	switch {
	case verdict.Succeeded:
		mark.Status = plan.CommandSucceeded
	case verdict.Continue:
		mark.Tolerated = true
	default:
		return nil, false
	}
	next.Progress.MarkCommand(command, mark)
	return append(skipped, next.SkipUnmet(r)...), true
}

// stop ends the queue after a command has failed with result: it marks the commands that are left
// as skipped in next.
func (e *executor) stop(next *plan.Plan, failed, result string) {
	e.failure = fmt.Sprintf("Plan %d stopped at the command %s %s", e.held.Number(), failed, result)
	if len(e.queue) > 0 {
		e.failure += fmt.Sprintf(" Not run: %s.", strings.Join(e.queue, ", "))
	}
	e.failure += " Approve the plan with its commands again to go on from there, or rework it."
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

// skippedInWords returns a sentence for each skipped command: why it was skipped.
func skippedInWords(p *plan.Plan, r *plan.Revision, ids []string) (sentences []string) {
	for _, id := range ids {
		o, _ := r.Operation(id)
		sentences = append(sentences, fmt.Sprintf("%s was skipped: %s.", quotedIn(o), phrase.TrimStop(p.Progress.Command(id).Reason)))
	}
	return sentences
}

// quotedIn returns a command for a sentence, with its folder: "`make` in tools".
func quotedIn(o *plan.Operation) string { return quoted(o.Command) + plan.In(o.Folder()) }

// quoted returns a command line for a sentence: one short line of visible characters, with runs
// of spaces shortened.
func quoted(command string) string {
	words := strings.FieldsFunc(strings.Trim(command, " \t\n"), func(r rune) bool { return r == ' ' || r == '\t' })
	return "`" + phrase.Clip(edits.VisibleLine(strings.Join(words, " ")), 120) + "`"
}

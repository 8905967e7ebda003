package orchestrator

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/phrase"
)

// conflict is an operation of a specialist that is not in the joined draft.
type conflict struct {
	text string // one sentence for the user
	what string // the specialist, and the file
	diff string // the missing lines
}

func conflictOf(whose string, l draft.Lost) conflict {
	what := l.Operation.Tool
	switch {
	case l.Operation.IsCommand():
		what += " " + plan.CommandIn(phrase.FirstLine(l.Operation.Command, 80), l.Operation.Folder())
	case l.Path != "":
		what += " of " + l.Path
	}
	c := conflict{what: whose + " with " + what, diff: l.Diff}
	if l.Same {
		c.text = fmt.Sprintf("What %s staged with %s was staged already, and is in the plan once.", whose, what)
	} else {
		c.text = fmt.Sprintf("What %s staged with %s is left out: %s, while both worked.", whose, what, phrase.TrimStop(phrase.FirstLine(l.Why, 200)))
	}
	return c
}

// conclude returns the outcome of a request without a question. err is a limit, or why there are
// no results. The request has failed if no specialist finished.
func (o *orchestration) conclude(err error) *Outcome {
	reply, notices, ended, failed := o.said()
	undone := o.undone()
	if limit, ok := err.(*limitError); ok {
		notices, err = append(notices, limit.Reason), nil
		undone.Stopped = strings.TrimSpace(undone.Stopped + " " + limit.Reason)
		ended = true
	}
	if err == nil && !ended {
		err = failed
	}
	return &Outcome{
		Summary: o.summary(), Steps: slices.Concat(o.old, o.steps),
		Answer:  strings.TrimSpace(reply + "\n\n" + strings.Join(notices, "\n")),
		Notices: notices, Undone: undone, Err: err, details: o.details(),
	}
}

// Description returns the description of a revision: an answer, how the plan was made, and
// what is not in it.
func (o *Outcome) Description(answer string) string {
	if o.Err != nil {
		answer += "\n\nIncomplete: " + phrase.SentenceOf(o.Err)
	}
	return strings.TrimSpace(answer + o.details)
}

// details says how the plan was made, and what is not in it.
func (o *orchestration) details() string {
	var b strings.Builder
	if len(o.results) > 0 {
		fmt.Fprintf(&b, "\n\nSpecialists: %s.", o.plan.Route())
		if !o.alone || o.plan.RefinedTask != o.Text { // otherwise it only repeats the goal
			b.WriteString("\nTask: " + o.plan.RefinedTask)
		}
		for _, n := range o.plan.Notes {
			b.WriteString("\n" + n)
		}
	}
	for _, c := range o.conflicts {
		if c.diff != "" {
			fmt.Fprintf(&b, "\n\nLeft out, of %s:\n\n    %s", c.what, strings.ReplaceAll(strings.TrimRight(c.diff, "\n"), "\n", "\n    "))
		}
	}
	return b.String()
}

// undone returns what the specialists left undone, besides refused calls.
func (o *orchestration) undone() plan.Unfinished {
	var stopped []string
	for _, r := range slices.Concat(o.done, o.results, o.again) {
		if r.State == Stopped {
			stopped = addOnce(stopped, r.Reason)
		}
	}
	return plan.Unfinished{Stopped: strings.Join(stopped, " ")}
}

// addOnce adds a sentence to a list, unless it is empty or in the list already.
func addOnce(list []string, sentence string) []string {
	if sentence == "" || slices.Contains(list, sentence) {
		return list
	}
	return append(list, sentence)
}

// said returns the reply, and what else the user must know, one sentence each. ended is true if
// a specialist finished; failed is the first error of one, nil for none.
func (o *orchestration) said() (reply string, rest []string, ended bool, failed error) {
	for _, r := range o.results {
		switch r.State {
		case Done:
			ended = true
		case Stopped:
			ended = true
			rest = addOnce(rest, r.Reason)
		case Failed:
			failed = cmp.Or(failed, r.Err)
			rest = append(rest, fmt.Sprintf("The specialist %s failed; what it had staged is kept: %s", r.Specialist.ID, r.Reason))
		case Skipped:
			if !slices.Contains(rest, r.Reason) {
				rest = append(rest, fmt.Sprintf("The specialist %s did not begin: %s", r.Specialist.ID, r.Reason))
			}
		}
	}
	for _, r := range o.again {
		switch r.State {
		case Stopped:
			rest = addOnce(rest, r.Reason)
		case Failed:
			rest = append(rest, fmt.Sprintf("The specialist %s failed while it fixed what a check had found; what it had staged is kept: %s", r.Specialist.ID, r.Reason))
		}
	}
	for _, c := range o.conflicts {
		rest = append(rest, c.text)
	}
	reply = o.reply()
	for _, r := range o.again {
		if r.Summary != "" {
			reply = strings.TrimSpace(reply + "\n\n**" + r.Specialist.ID + "**, after the checks: " + r.Summary)
		}
	}
	return reply, rest, ended, failed
}

// reply returns the summaries of the last level that has any.
func (o *orchestration) reply() string {
	if len(o.results) == 0 && len(o.done) > 0 { // after the user's answer nothing was left to do
		return o.done[len(o.done)-1].Summary
	}
	if o.results == nil {
		return ""
	}
	for _, level := range slices.Backward(o.plan.Levels()) {
		var last string
		var all []string
		for _, i := range level {
			if r := o.results[i]; r.Summary != "" {
				last, all = r.Summary, append(all, "**"+r.Specialist.ID+":** "+r.Summary)
			}
		}
		switch len(all) {
		case 0:
		case 1:
			return last
		default:
			return strings.Join(all, "\n\n")
		}
	}
	return ""
}

// summary returns the turn's result about specialists, nil if there is no plan.
func (o *orchestration) summary() *state.PlanSummary {
	if o.plan == nil {
		return nil
	}
	s := &state.PlanSummary{Route: o.plan.Route(), By: o.plan.By, RefinedTask: o.plan.RefinedTask, Notes: o.plan.Notes}
	for _, r := range slices.Concat(o.done, o.results, o.again) {
		s.Specialists = append(s.Specialists, state.Contribution{ID: r.Specialist.ID, Step: r.Step, State: string(r.State), Summary: r.Summary, Reason: r.Reason})
	}
	for _, c := range o.conflicts {
		s.Conflicts = append(s.Conflicts, c.text)
	}
	return s
}

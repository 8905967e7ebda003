package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/phrase"
)

// maxParallel is how many specialists run at the same time.
const maxParallel = 4

// team runs the specialists of an expanded plan.
type team struct {
	spawn func(func())                      // runs a function on another goroutine
	work  func(context.Context, Job) Result // runs one specialist; called concurrently
	join  func(level []Result)              // joins the results of a level, in the order of the plan
	steps []string                          // the id of each assignment's step
	place string                            // where the user made the request, "" if unknown
	said  string                            // the earlier messages, for a plan that no planner has made
	done  []Result                          // results of the specialists that ran before the user was asked
	diff  func() string                     // what all have staged so far
}

// run runs the specialists level by level. It returns a result for each assignment after all
// have ended, even if ctx ends earlier.
func (t team) run(ctx context.Context, r *Registry, p *Plan) []Result {
	results := make([]Result, len(p.Work))
	free := make(chan struct{}, maxParallel)
	levels := p.Levels()
	for n, level := range levels {
		earlier := Before{Results: slices.Concat(t.done, before(p, results, n))}
		if len(earlier.Results) > 0 {
			earlier.Staged = t.diff()
		}
		finished := make(chan struct{}, len(level))
		all := make([]Result, len(level)) // not yet in results, which the loop reads while they run
		for k, i := range level {
			w := p.Work[i]
			job := Job{Specialist: r.Find(w.Specialist), Index: i, Step: t.steps[i], Only: len(level) == 1 && n == len(levels)-1}
			if reason := skips(ctx, results, w.After); reason != "" {
				all[k] = Result{Job: job, State: Skipped, Reason: reason}
				finished <- struct{}{}
				continue
			}
			job.Task = p.Task(w.Specialist, t.place, t.said, earlier)
			t.spawn(func() {
				defer func() { finished <- struct{}{} }()
				free <- struct{}{}
				defer func() { <-free }()
				if all[k] = (Result{Job: job, State: Skipped, Reason: cancelled}); ctx.Err() == nil {
					all[k] = t.work(ctx, job)
				}
			})
		}
		for range level {
			<-finished
		}
		for k, i := range level {
			results[i] = all[k]
		}
		t.join(all)
	}
	return results
}

const cancelled = "The turn had ended."

// skips returns why an assignment does not begin, "" if it does.
func skips(ctx context.Context, results []Result, after []int) string {
	if ctx.Err() != nil {
		return cancelled
	}
	if slices.ContainsFunc(results, func(r Result) bool { return r.State == Waiting }) {
		return "It waits for the user's answer."
	}
	if i := slices.IndexFunc(results, func(r Result) bool { return r.State == Stopped }); i >= 0 {
		return results[i].Reason
	}
	var failed []string
	for _, k := range after {
		if s := results[k].State; s == Failed || s == Skipped {
			failed = append(failed, results[k].Specialist.ID)
		}
	}
	if len(failed) == 0 || len(failed) < len(after) {
		return ""
	}
	return fmt.Sprintf("It was to continue what %s did, and that failed.", strings.Join(failed, " and "))
}

// before returns the results of the levels before level n, in the order of the plan.
func before(p *Plan, results []Result, n int) []Result {
	var out []Result
	for i, w := range p.Work {
		if w.Level < n {
			out = append(out, results[i])
		}
	}
	return out
}

// Job is the work of one specialist.
type Job struct {
	Specialist *Specialist
	Index      int    // the index of its assignment in the plan
	Step       string // the id of the plan's step that it works on
	Task       string // the whole first message to it
	Only       bool   // no other specialist runs at the same time or later
}

// State is the state of a specialist's work.
type State string

// The states.
const (
	Done    State = "done"    // it completed its part
	Stopped State = "stopped" // a limit of the turn stopped it
	Failed  State = "failed"  // it could not complete its part
	Waiting State = "waiting" // it waits for the user's answer to its question
	Skipped State = "skipped" // all specialists that it depends on failed, or the turn had ended
)

// Result is the result of a job.
type Result struct {
	Job
	State   State
	Summary string // the specialist's last words
	Reason  string // why it was stopped, failed or skipped, one sentence
	Err     error  // the error if it failed

	Staged bool // it has staged something

	Question string // the question that it has asked the user, "" for none
	Options  []string
}

// report describes the result to later specialists.
func (r *Result) report() string {
	if r.State == Done {
		return r.Summary
	}
	return strings.TrimSpace(r.Summary + "\n(" + string(r.State) + ": " + r.Reason + ")")
}

// Report describes the result of an assignment to the planner.
func (r *Result) Report() string {
	return fmt.Sprintf("%s (%s): %s", r.Specialist.ID, r.State, bounded(r.report(), maxSummary))
}

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

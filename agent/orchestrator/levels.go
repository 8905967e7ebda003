package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"
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

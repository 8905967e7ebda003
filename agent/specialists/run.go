package specialists

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// maxParallel is how many specialists work at the same time, at most.
const maxParallel = 4

// Job is what one specialist is to do.
type Job struct {
	Specialist *Specialist
	Step       string // id of the plan's step that it works on
	Task       string // what it is told, with all that it needs
	Only       bool   // nobody works at the same time, and nobody after it
}

// State says what has become of a specialist's work.
type State string

// The states.
const (
	Done    State = "done"    // it has done its part
	Stopped State = "stopped" // a limit of the turn has ended it
	Failed  State = "failed"  // it could not
	Waiting State = "waiting" // for the user's answer to its question
	Skipped State = "skipped" // those that it comes after have all failed, or the turn had ended
)

// Result is what has become of a job.
type Result struct {
	Job
	State   State
	Summary string // what the specialist said in the end
	Reason  string // why it was stopped, failed or skipped, one sentence
	Err     error  // that it failed with

	NotTaken string // that it has written edits into its summary that were not taken, in one sentence; "" for none

	Question string // that it has asked, "" for none
	Options  []string
}

// told is what those after it are told.
func (r *Result) told() string {
	if r.State == Done {
		return r.Summary
	}
	return strings.TrimSpace(r.Summary + "\n(" + string(r.State) + ": " + r.Reason + ")")
}

// Team is what running needs of whoever calls it.
type Team struct {
	Spawn func(func())                      // runs a function on a goroutine
	Work  func(context.Context, Job) Result // has one specialist work; called from several goroutines at a time
	Join  func(level []Result)              // takes what a level has come to, in the order of the plan
	Steps []string                          // the id of each assignment's step
	Place string                            // where the request was made, "" for nowhere
	Said  string                            // what was said before, for those whom no planner has told
	Done  []Result                          // of those that worked before the user was asked
}

// Run has the specialists of an expanded plan work, level by level. It returns
// when all have ended, also when ctx ends before: a result for each assignment.
func Run(ctx context.Context, r *Registry, p *Plan, team Team) []Result {
	results := make([]Result, len(p.Work))
	free := make(chan struct{}, maxParallel)
	levels := p.Levels()
	for n, level := range levels {
		finished := make(chan struct{}, len(level))
		all := make([]Result, len(level)) // apart from results, which are read meanwhile
		for k, i := range level {
			w := p.Work[i]
			job := Job{Specialist: r.Find(w.Specialist), Step: team.Steps[i], Only: len(level) == 1 && n == len(levels)-1}
			if reason := skips(ctx, results, w.After); reason != "" {
				all[k] = Result{Job: job, State: Skipped, Reason: reason}
				finished <- struct{}{}
				continue
			}
			job.Task = p.task(w.Specialist, team.Place, team.Said, slices.Concat(team.Done, before(p, results, n)))
			team.Spawn(func() {
				defer func() { finished <- struct{}{} }()
				free <- struct{}{}
				defer func() { <-free }()
				if all[k] = (Result{Job: job, State: Skipped, Reason: cancelled}); ctx.Err() == nil {
					all[k] = team.Work(ctx, job)
				}
			})
		}
		for range level {
			<-finished
		}
		for k, i := range level {
			results[i] = all[k]
		}
		team.Join(all)
	}
	return results
}

const cancelled = "The turn had ended."

// skips says why an assignment does not begin, "" if it does.
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
	return fmt.Sprintf("It was to go on from what %s did, and that failed.", strings.Join(failed, " and "))
}

// before returns the results of the levels before the nth, in the order of the
// plan.
func before(p *Plan, results []Result, n int) []Result {
	var out []Result
	for i, w := range p.Work {
		if w.Level < n {
			out = append(out, results[i])
		}
	}
	return out
}

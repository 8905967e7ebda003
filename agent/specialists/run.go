package specialists

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// maxParallel is how many specialists run at the same time, at most.
const maxParallel = 4

// Team is what [Run] needs of its caller.
type Team struct {
	Spawn func(func())                      // runs a function on a goroutine
	Work  func(context.Context, Job) Result // runs one specialist; called from several goroutines at a time
	Join  func(level []Result)              // takes the results of a level, in the order of the plan
	Steps []string                          // the id of each assignment's step
	Place string                            // where the request was made, "" for nowhere
	Said  string                            // what was said before, for a plan that no planner has made
	Done  []Result                          // of the specialists that ran before the user was asked
}

// Run runs the specialists of an expanded plan, level by level. It returns a result for each
// assignment after all have ended, even if ctx ends earlier.
func Run(ctx context.Context, r *Registry, p *Plan, team Team) []Result {
	results := make([]Result, len(p.Work))
	free := make(chan struct{}, maxParallel)
	levels := p.Levels()
	for n, level := range levels {
		finished := make(chan struct{}, len(level))
		all := make([]Result, len(level)) // not in results, which the loop reads while they run
		for k, i := range level {
			w := p.Work[i]
			job := Job{Specialist: r.Find(w.Specialist), Index: i, Step: team.Steps[i], Only: len(level) == 1 && n == len(levels)-1}
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
	return fmt.Sprintf("It was to go on from what %s did, and that failed.", strings.Join(failed, " and "))
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

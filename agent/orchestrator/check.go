package orchestrator

import (
	"context"
	"slices"

	"redline/agent/draft"
	"redline/agent/tool"
)

// Each specialist tries what it has staged itself. Whether all of it works together is known only
// at the end: then the project's own checks are tried once, and what fails goes to the specialist
// whose files it is in. That one works once more, within the limits of the turn, and what failed is
// tried again, so that the plan says how it stands.

// Failure is a check of the project that fails because of what is staged, or that the request is
// about.
type Failure struct {
	Command, Cwd string
	Report       string                // the result and the output, for the model
	Names        func(path string) int // how often the output names a file
}

// check tries the project's checks on what all have staged. It does nothing if one specialist did
// the turn alone, because that one has tried them.
func (o *orchestration) check(ctx context.Context) {
	ended := func(r Result) bool { return r.State == Stopped }
	if o.alone || ctx.Err() != nil || slices.ContainsFunc(o.results, ended) {
		return
	}
	failed := o.host.Check(ctx, o.Env.Draft, nil)
	worked := slices.Concat(o.done, o.results)
	var again bool
	for i, failures := range o.owners(worked, failed) {
		if len(failures) > 0 && ctx.Err() == nil {
			o.workAgain(ctx, worked[i], failures)
			again = true
		}
	}
	if again && ctx.Err() == nil {
		o.host.Check(ctx, o.Env.Draft, failed)
	}
}

// owners returns the failures for each of the specialists that have worked: for the one whose files
// the output names most often, or else for the last one that has edited something.
func (o *orchestration) owners(worked []Result, failed []Failure) [][]Failure {
	files := make([][]string, len(worked))
	last := -1
	for i, r := range worked {
		if slices.ContainsFunc(o.toolsOf(r.Specialist), tool.Tool.Edits) {
			files[i] = o.Env.Draft.FilesOf(r.Step)
		}
		if len(files[i]) > 0 {
			last = i
		}
	}
	owned := make([][]Failure, len(worked))
	for _, f := range failed {
		owner, most := last, 0
		for i, paths := range files {
			named := 0
			for _, path := range paths {
				named += f.Names(path)
			}
			if named > 0 && named >= most { // a later one has seen what the earlier did
				owner, most = i, named
			}
		}
		if owner >= 0 {
			owned[owner] = append(owned[owner], f)
		}
	}
	return owned
}

// workAgain lets a specialist fix what fails in its files.
func (o *orchestration) workAgain(ctx context.Context, r Result, failed []Failure) {
	reports := make([]string, len(failed))
	for i, f := range failed {
		reports[i] = f.Report
	}
	job := Job{Specialist: r.Specialist, Step: r.Step, Only: true}
	job.Task = o.plan.Task(r.Specialist.ID, o.Place, o.Recent, Before{
		Results: slices.Concat(o.done, o.results, o.again), Staged: stagedDiff(o.Env.Draft, o.Env.Workspace.Secret),
	}) + Failing(reports)
	o.forks = make([]*draft.Draft, 1)
	asks := o.MayAsk
	o.MayAsk = false // the others have finished
	done := o.workSafely(ctx, job)
	o.MayAsk = asks
	o.join([]Result{done})
	o.again = append(o.again, done)
}

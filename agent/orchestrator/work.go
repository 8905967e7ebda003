package orchestrator

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/session"
	"redline/agent/tool"
	"redline/agent/trace"
	"redline/internal/phrase"
)

// runLevels runs the specialists of the plan.
func (o *orchestration) runLevels(ctx context.Context) {
	ids := make([]string, len(o.steps))
	for i := range o.steps {
		ids[i] = o.steps[i].ID
	}
	o.forks = make([]*draft.Draft, len(o.steps))
	o.results = team{
		spawn: o.host.Spawn, work: o.workSafely, join: o.join,
		steps: ids, place: o.Place, said: o.Recent, done: o.done,
		diff: func() string { return stagedDiff(o.Env.Draft, o.Env.Workspace.Secret) },
	}.run(ctx, o.Registry, o.plan)
}

// workSafely calls work, and turns a panic into a failed result.
func (o *orchestration) workSafely(ctx context.Context, j Job) (r Result) {
	err := session.Contain(func() error {
		r = o.work(ctx, j)
		return nil
	})
	if err != nil {
		o.host.Failed(err)
		r = Result{Job: j, State: Failed, Reason: phrase.SentenceOf(err), Err: err}
	}
	return r
}

// work runs one specialist: in a fork of the turn's draft, unless it is the only one.
func (o *orchestration) work(ctx context.Context, j Job) Result {
	var fork *draft.Draft
	task := o.Text // a specialist that works alone is sent this, among other messages
	if !o.alone {
		task = j.Task
		fork = o.Env.Draft.Fork()
		o.forks[j.Index] = fork
	}
	o.trace(traceStep{Kind: trace.Specialist, Specialist: j.Specialist.ID, PlanStep: j.Step, Summary: j.Specialist.ID + " begins",
		Detail: map[string]any{"state": "started", "tools": j.Specialist.Tools, "task": phrase.StartBytes(task, 16<<10)}})
	var out loop.Outcome
	var err error
	if o.alone {
		out, err = o.converseAlone(ctx, j)
	} else {
		out, err = o.converse(ctx, j, fork)
	}
	r := Result{Job: j, State: Done, Summary: strings.TrimSpace(out.Text)}
	r.Staged = fork != nil && len(fork.News()) > 0
	err = o.limited(ctx, err)
	limit, limited := errors.AsType[*limitError](err)
	switch {
	case out.Asked != nil && ctx.Err() == nil:
		r.State, r.Question, r.Options = Waiting, out.Asked.Text, out.Asked.Options
		r.Reason = "It has asked the user: " + out.Asked.Text
	case limited:
		r.State, r.Reason = Stopped, limit.Reason
	case out.Stopped != "":
		r.State, r.Reason = Stopped, out.Stopped
	case ctx.Err() != nil:
		r.State, r.Reason = Stopped, "The turn was cancelled."
	case err != nil:
		r.State, r.Reason, r.Err = Failed, phrase.SentenceOf(err), err
		o.host.Failed(err)
	}
	return r
}

// converse runs the model of one of several specialists with its tools. The specialist knows its
// task but not the conversation.
func (o *orchestration) converse(ctx context.Context, j Job, fork *draft.Draft) (loop.Outcome, error) {
	tools := o.toolsOf(j.Specialist)
	env := *o.Env
	env.Draft, env.Step, env.Fixed = fork, j.Step, true
	system := o.system("specialist", j.Specialist, tools)
	if slices.ContainsFunc(tools, tool.Tool.Stages) {
		system += o.Rework
	}
	messages := []model.Message{{Role: model.RoleSystem, Content: system}, {Role: model.RoleUser, Content: j.Task}}
	o.host.Offered(tools)
	return loop.Run(ctx, o.provider(j), messages, tools, &env, o.limits(), o.hooks(j, fork))
}

// traceCall adds a call of a specialist to the trace.
func (o *orchestration) traceCall(j Job, c model.Call) {
	o.trace(traceStep{Kind: trace.SpecialistTool, Specialist: j.Specialist.ID, PlanStep: j.Step, Summary: phrase.FirstLine(c.Name, 64),
		Detail: map[string]any{"arguments": phrase.StartBytes(c.Arguments, 2<<10)}})
}

// system returns the system prompt of a specialist: opening, then only the parts that its tools
// need, then its own text. A prompt from the repository is quoted.
func (o *orchestration) system(opening string, s *Specialist, tools []tool.Tool) string {
	edits := slices.ContainsFunc(tools, tool.Tool.Edits)
	stages := slices.ContainsFunc(tools, tool.Tool.Stages)
	commands := slices.ContainsFunc(tools, func(t tool.Tool) bool { return t.Stages() && !t.Edits() })
	_, tries := tool.Find(tools, "try_command")
	parts := []string{o.host.Prompt(opening)}
	for _, kind := range []struct {
		has    bool
		prompt string
	}{
		{edits, "specialist-edits"}, {commands, "specialist-commands"},
		{tries && edits, "specialist-trials"}, {!stages, "specialist-reads"},
	} {
		if kind.has {
			parts = append(parts, o.host.Prompt(kind.prompt))
		}
	}
	part := s.Prompt
	if s.Origin == Repository {
		part = o.host.Prompt("quoted") + "\n> " + strings.ReplaceAll(part, "\n", "\n> ")
	}
	parts = append(parts, part)
	if s.ID == Agents {
		parts = append(parts, o.Registry.ForImprovers())
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// hooks returns the hooks of the turn for one specialist. Its text is streamed only if no other
// specialist's text is part of the reply.
func (o *orchestration) hooks(j Job, fork *draft.Draft) loop.Hooks {
	hooks := o.host.Hooks(fork)
	if !j.Only {
		hooks.Text = nil
	}
	tell := hooks.Tool
	hooks.Tool = func(name, summary string) {
		tell(name, summary)
		o.trace(traceStep{Kind: trace.SpecialistToolDone, Specialist: j.Specialist.ID, PlanStep: j.Step, Summary: summary, Detail: map[string]any{"tool": name}})
	}
	return hooks
}

// join adds what the specialists of a level have staged to the turn's draft. It runs even after
// a cancellation, to keep what was staged.
func (o *orchestration) join(level []Result) {
	var parts []draft.Part
	var whose []string
	for _, r := range level {
		if fork := o.forks[r.Index]; fork != nil {
			parts, whose = append(parts, draft.Part{Draft: fork, Step: r.Step}), append(whose, r.Specialist.ID)
		}
		o.forks[r.Index] = nil
		o.trace(traceStep{Kind: trace.Specialist, Specialist: r.Specialist.ID, PlanStep: r.Step, Summary: r.Specialist.ID + ": " + string(r.State),
			Detail: map[string]any{"state": string(r.State), "summary": phrase.StartBytes(r.Summary, 16<<10), "reason": r.Reason}})
	}
	for _, l := range o.Env.Draft.Join(parts, o.host.Replay()) {
		o.conflicts = append(o.conflicts, conflictOf(whose[l.Part], l))
	}
	o.charge()
}

// A plan with one specialist costs no more than a turn without specialists: the specialist does
// the turn alone. It reads the conversation and the user's own message instead of the planner's
// task, stages in the turn's own draft, and continues itself after a question.

// converseAlone runs the model of the only specialist of a plan with its tools.
func (o *orchestration) converseAlone(ctx context.Context, j Job) (loop.Outcome, error) {
	s, tools := j.Specialist, o.toolsOf(j.Specialist)
	o.Env.Step, o.Env.Fixed = j.Step, true
	about := ""
	if text := o.plan.Instructions[s.ID]; text != "" {
		about = "[Your part, as the planner has it]\n" + text
	}
	messages, err := o.host.Messages(ctx, o.system("specialist-alone", s, tools), about)
	if err != nil {
		return loop.Outcome{}, err
	}
	o.host.Offered(tools)
	return loop.Run(ctx, o.provider(j), messages, tools, o.Env, o.limits(), o.hooks(j, nil))
}

// toolsOf returns the tools that a specialist may call.
func (o *orchestration) toolsOf(s *Specialist) []tool.Tool {
	tools := slices.DeleteFunc(slices.Clone(o.Tools), func(t tool.Tool) bool {
		return !slices.Contains(s.Tools, t.Name) || t.Name == tool.Unstaging && !o.alone // it takes operations out of the turn's draft
	})
	if ask, ok := tool.Find(tool.All(), tool.AskUser); ok && o.MayAsk {
		tools = append(tools, ask)
	}
	return tool.Stepless(tools)
}

// provider returns the provider for the work of a specialist.
func (o *orchestration) provider(j Job) model.Provider {
	return o.budget.provider(model.For(o.Model, model.Editing), j.Specialist, func(c model.Call) { o.traceCall(j, c) })
}

// limits returns the limits of one specialist. Those of requests and time are the turn's, see
// budget and clock.
func (o *orchestration) limits() loop.Limits {
	return loop.Limits{Requests: math.MaxInt, Steps: math.MaxInt, Repeats: o.Limits.Repeats, Calls: &o.calls}
}

// continueAlone lets the specialist that did the turn alone continue after its question. It
// reports whether that specialist still exists.
func (o *orchestration) continueAlone(k *Parked) bool {
	if !k.Alone || len(k.Plan.Work) != 1 || len(k.Steps) == 0 || o.Registry.Find(k.Plan.Work[0].Specialist) == nil {
		return false
	}
	last := len(k.Steps) - 1
	o.alone, o.plan, o.old, o.steps = true, k.Plan, k.Steps[:last], k.Steps[last:]
	o.trace(traceStep{Kind: trace.SpecialistRoute, Summary: o.plan.Route() + " continues"})
	return true
}

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
	}) + failing(reports)
	o.forks = make([]*draft.Draft, 1)
	asks := o.MayAsk
	o.MayAsk = false // the others have finished
	done := o.workSafely(ctx, job)
	o.MayAsk = asks
	o.join([]Result{done})
	o.again = append(o.again, done)
}

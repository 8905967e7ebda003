package orchestrator

import (
	"context"
	"errors"
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

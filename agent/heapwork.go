package agent

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/session"
	"redline/agent/specialists"
	"redline/agent/tool"
	"redline/agent/trace"
	"redline/internal/phrase"
)

// forks are the drafts of the specialists that work at the moment, by step.
type forks struct {
	mu sync.Mutex
	of map[string]*draft.Draft
}

// run has the specialists work.
func (h *orchestrator) run(ctx context.Context) {
	ids := make([]string, len(h.steps))
	for i := range h.steps {
		ids[i] = h.steps[i].ID
	}
	h.results = specialists.Run(ctx, h.Registry, h.plan, specialists.Team{
		Spawn: h.host.Spawn, Work: h.workSafely, Join: h.join,
		Steps: ids, Place: h.Place, Said: h.Recent, Done: h.done,
	})
}

// workSafely is work, of which a fault is a failure: it must not end the server.
func (h *orchestrator) workSafely(ctx context.Context, j specialists.Job) (r specialists.Result) {
	err := session.Contain(func() error {
		r = h.work(ctx, j)
		return nil
	})
	if err != nil {
		h.host.Failed(err)
		r = specialists.Result{Job: j, State: specialists.Failed, Reason: phrase.SentenceOf(err), Err: err}
	}
	return r
}

// work has one specialist work in a fork of the turn's draft.
func (h *orchestrator) work(ctx context.Context, j specialists.Job) specialists.Result {
	fork := h.Env.Draft.Fork()
	h.forks.mu.Lock()
	h.forks.of[j.Step] = fork
	h.forks.mu.Unlock()
	h.trace(traceStep{Kind: trace.HeapSpecialist, Specialist: j.Specialist.ID, PlanStep: j.Step, Summary: j.Specialist.ID + " begins",
		Detail: map[string]any{"state": "started", "tools": j.Specialist.Tools, "task": phrase.StartBytes(j.Task, 16<<10)}})
	out, err := h.converse(ctx, j, fork)
	r := specialists.Result{Job: j, State: specialists.Done, Summary: strings.TrimSpace(out.Text), NotTaken: out.NotTaken}
	err = h.limited(ctx, err)
	limit, limited := errors.AsType[*specialists.LimitError](err)
	switch {
	case out.Asked != nil && ctx.Err() == nil:
		r.State, r.Question, r.Options = specialists.Waiting, out.Asked.Text, out.Asked.Options
		r.Reason = "It has asked the user: " + out.Asked.Text
	case limited:
		r.State, r.Reason = specialists.Stopped, limit.Reason
	case out.Stopped != "":
		r.State, r.Reason = specialists.Stopped, out.Stopped
	case ctx.Err() != nil:
		r.State, r.Reason = specialists.Stopped, "The turn was cancelled."
	case err != nil:
		r.State, r.Reason, r.Err = specialists.Failed, phrase.SentenceOf(err), err
		h.host.Failed(err)
	}
	return r
}

// converse is the specialist's own work: it knows the task, and no history.
func (h *orchestrator) converse(ctx context.Context, j specialists.Job, fork *draft.Draft) (loop.Outcome, error) {
	s := j.Specialist
	tools := slices.DeleteFunc(slices.Clone(h.Tools), func(t tool.Tool) bool { return !slices.Contains(s.Tools, t.Name) })
	if ask, ok := tool.Find(tool.All(), tool.AskUser); ok && h.MayAsk {
		tools = append(tools, ask)
	}
	provider := h.budget.Provider(model.For(h.Model, model.Editing), s, func(c model.Call) {
		h.trace(traceStep{Kind: trace.HeapTool, Specialist: s.ID, PlanStep: j.Step, Summary: phrase.FirstLine(c.Name, 64),
			Detail: map[string]any{"arguments": phrase.StartBytes(c.Arguments, 2<<10)}})
	})
	env := *h.Env
	env.Draft, env.Step, env.Fixed = fork, j.Step, true
	messages := []model.Message{{Role: model.RoleSystem, Content: h.system(s, tools)}, {Role: model.RoleUser, Content: j.Task}}
	limits := loop.Limits{ // the rest is the turn's, see orchestrator.budget and clock
		Requests: math.MaxInt, Steps: math.MaxInt, Repeats: h.Limits.Repeats, Calls: &h.calls,
	}
	return loop.Run(ctx, provider, messages, tools, &env, limits, h.hooks(j, fork))
}

// system is the system prompt of a specialist.
func (h *orchestrator) system(s *specialists.Specialist, tools []tool.Tool) string {
	base := h.host.Prompt("ask")
	if slices.ContainsFunc(tools, func(t tool.Tool) bool { return t.Buffered }) {
		base = h.host.Prompt("system") + h.Rework
	}
	part := s.Prompt
	if s.Origin == specialists.Repository {
		part = h.host.Prompt("quoted") + "\n> " + strings.ReplaceAll(part, "\n", "\n> ")
	}
	return base + "\n" + h.host.Prompt("specialist") + "\n" + part
}

// hooks tell what a specialist does. Its words are the turn's reply only if
// nobody else's are.
func (h *orchestrator) hooks(j specialists.Job, fork *draft.Draft) loop.Hooks {
	hooks := h.host.Hooks(fork)
	if !j.Only {
		hooks.Text = nil
	}
	tell := hooks.Tool
	hooks.Tool = func(name, summary string) {
		tell(name, summary)
		h.trace(traceStep{Kind: trace.HeapToolDone, Specialist: j.Specialist.ID, PlanStep: j.Step, Summary: summary, Detail: map[string]any{"tool": name}})
	}
	return hooks
}

// join puts what the specialists of a level have staged together. It is not cut
// off: what was staged is kept.
func (h *orchestrator) join(level []specialists.Result) {
	var parts []draft.Part
	var whose []string
	for _, r := range level {
		h.forks.mu.Lock()
		fork := h.forks.of[r.Step]
		delete(h.forks.of, r.Step)
		h.forks.mu.Unlock()
		if fork != nil {
			parts, whose = append(parts, draft.Part{Draft: fork, Step: r.Step}), append(whose, r.Specialist.ID)
		}
		h.trace(traceStep{Kind: trace.HeapSpecialist, Specialist: r.Specialist.ID, PlanStep: r.Step, Summary: r.Specialist.ID + ": " + string(r.State),
			Detail: map[string]any{"state": string(r.State), "summary": phrase.StartBytes(r.Summary, 16<<10), "reason": r.Reason}})
	}
	for _, l := range h.Env.Draft.Join(parts, h.host.Replay()) {
		h.conflicts = append(h.conflicts, conflictOf(whose[l.Part], l))
	}
	h.charge()
}

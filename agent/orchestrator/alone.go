package orchestrator

import (
	"context"
	"math"
	"slices"

	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/tool"
	"redline/agent/trace"
)

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

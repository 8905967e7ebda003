package orchestrator

import (
	"context"
	"errors"

	"redline/agent/model"
	"redline/agent/specialists"
	"redline/agent/tool"
	"redline/agent/trace"
	"redline/internal/phrase"
)

// consult asks the planner for a plan, and asks once more if its answer cannot be used.
// summary is how the trace calls the request. It returns nil if neither answer can be
// used, and if the planner has a question for the user, which is in o.asks then. The
// error is ctx's, or a limit of the turn.
func (o *orchestration) consult(ctx context.Context, summary string, messages []model.Message, parse func(object string) (*specialists.Plan, error)) (*specialists.Plan, error) {
	for attempt := 1; attempt <= 2; attempt++ {
		o.trace(traceStep{Kind: trace.PlannerRequest, Summary: summary, Detail: map[string]any{"attempt": attempt, "messages": sent(messages)}})
		answer, err := o.ask(ctx, messages)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if limit, ok := errors.AsType[*limitError](err); ok {
			return nil, limit
		}
		var p *specialists.Plan
		if err == nil {
			var object string
			if object, err = specialists.ReadAnswer(answer, shown(messages)...); err == nil && o.plannerAsks(object) {
				return nil, nil
			} else if err == nil {
				p, err = parse(object)
			}
		} else {
			attempt = 2 // the provider has retried already
		}
		detail := map[string]any{"attempt": attempt, "text": phrase.StartBytes(answer, 16<<10)}
		if err != nil {
			detail["error"] = err.Error()
		}
		o.trace(traceStep{Kind: trace.PlannerResponse, Summary: summaryOf(p, err), Detail: detail})
		if err == nil {
			return p, nil
		}
		messages = specialists.Again(messages, answer, o.host.Prompt("again"), err)
	}
	return nil, nil
}

// ask sends one request without tools, and returns the text of the reply.
func (o *orchestration) ask(ctx context.Context, messages []model.Message) (string, error) {
	reply, err := o.budget.provider(model.For(o.Model, model.Planning), nil, nil).Complete(ctx, model.Request{Messages: messages}, nil)
	return reply.Text, err
}

// plannerAsks reports whether the object of the planner's answer is a question to the user, and
// keeps the question.
func (o *orchestration) plannerAsks(object string) bool {
	text, options, ok := specialists.ParseQuestion(object)
	if !ok || !o.MayAsk {
		return false
	}
	q, err := tool.NewQuestion(text, options)
	if err != nil {
		return false // the planner is asked again, for a plan
	}
	o.asks = q
	o.trace(traceStep{Kind: trace.PlannerResponse, Summary: "the planner asks the user"})
	return true
}

func summaryOf(p *specialists.Plan, err error) string {
	if err != nil {
		return "the planner's answer cannot be used: " + phrase.FirstLine(err.Error(), 200)
	}
	return "the planner has answered: " + p.Route()
}

// shown returns what messages show the planner, without what it has said itself.
func shown(messages []model.Message) []string {
	var out []string
	for _, m := range messages {
		if m.Role != model.RoleAssistant {
			out = append(out, m.Content)
		}
	}
	return out
}

// sent returns messages as the trace has them.
func sent(messages []model.Message) []map[string]string {
	var out []map[string]string
	for _, m := range messages {
		out = append(out, map[string]string{"role": string(m.Role), "content": phrase.StartBytes(m.Content, 16<<10)})
	}
	return out
}

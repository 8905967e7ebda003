package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"redline/agent/model"
	"redline/agent/tool"
	"redline/agent/trace"
	"redline/internal/phrase"
)

// consult asks the planner for a plan, and asks once more if the answer is unusable. summary
// names the request in the trace. It returns nil if both answers are unusable, or if the planner
// has a question for the user. Then the question is in o.asks, and a plan that came with it in
// o.waits. The error is ctx's, or a limit of the turn.
func (o *orchestration) consult(ctx context.Context, summary string, messages []model.Message, parse func(object string) (*Plan, error)) (*Plan, error) {
	for attempt := 1; attempt <= 2; attempt++ {
		o.trace(traceStep{Kind: trace.PlannerRequest, Summary: summary, Detail: map[string]any{"attempt": attempt, "messages": sent(messages)}})
		answer, err := o.ask(ctx, messages)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if limit, ok := errors.AsType[*limitError](err); ok {
			return nil, limit
		}
		var p *Plan
		if err == nil {
			var object string
			if object, err = ReadAnswer(answer, shown(messages)...); err == nil {
				asks, planned := o.questionIn(object)
				if asks == nil || planned {
					p, err = parse(object)
				}
				if asks != nil && err == nil {
					o.asks, o.waits = asks, p
					o.trace(traceStep{Kind: trace.PlannerResponse, Summary: "the planner asks the user"})
					return nil, nil
				}
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
		messages = Again(messages, answer, o.host.Prompt("again"), err)
	}
	return nil, nil
}

// ask sends one request without tools, and returns the text of the reply.
func (o *orchestration) ask(ctx context.Context, messages []model.Message) (string, error) {
	reply, err := o.budget.provider(model.For(o.Model, model.Planning), nil, nil).Complete(ctx, model.Request{Messages: messages}, nil)
	return reply.Text, err
}

// maxAtOnce is how many questions the planner may ask the user at once.
const maxAtOnce = 5

// questionIn returns the planner's question to the user in the object of its answer. It returns
// nil if there is none, or if it cannot be asked: then the planner is asked again, for a plan.
// Several questions become one, with numbers; their options are listed below them, since
// choosing one would answer only one of them. planned is true if the object also has a plan.
func (o *orchestration) questionIn(object string) (q *tool.Question, planned bool) {
	questions, planned := ParseQuestions(object)
	if !o.MayAsk || len(questions) == 0 || len(questions) > maxAtOnce {
		return nil, planned
	}
	var lines []string
	for i, one := range questions {
		asked, err := tool.NewQuestion(one.Text, one.Options)
		if err != nil {
			return nil, planned
		}
		if len(questions) == 1 {
			return asked, planned
		}
		text := fmt.Sprintf("%d. %s", i+1, asked.Text)
		for _, option := range asked.Options {
			text += "\n- " + option
		}
		lines = append(lines, strings.ReplaceAll(text, "\n", "\n   "))
	}
	return &tool.Question{Text: strings.Join(lines, "\n")}, planned
}

func summaryOf(p *Plan, err error) string {
	if err != nil {
		return "the planner's answer cannot be used: " + phrase.FirstLine(err.Error(), 200)
	}
	return "the planner has answered: " + p.Route()
}

// shown returns the text that messages show the planner, without its own answers.
func shown(messages []model.Message) []string {
	var out []string
	for _, m := range messages {
		if m.Role != model.RoleAssistant {
			out = append(out, m.Content)
		}
	}
	return out
}

// sent returns messages in the form of the trace.
func sent(messages []model.Message) []map[string]string {
	var out []map[string]string
	for _, m := range messages {
		out = append(out, map[string]string{"role": string(m.Role), "content": phrase.StartBytes(m.Content, 16<<10)})
	}
	return out
}

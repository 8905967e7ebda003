package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"redline/agent/model"
	"redline/agent/plan"
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
		messages = again(messages, answer, o.host.Prompt("again"), err)
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

// makePlan asks the planner who works on the request. If the planner fails, keyword
// rules choose. The error is ctx's, or a limit of the turn.
func (o *orchestration) makePlan(ctx context.Context) error {
	messages := planRequest(o.host.Prompt("planner"), o.Registry, o.Recent, o.Message+o.Rework)
	p, err := o.consult(ctx, "the planner is asked", messages, func(object string) (*Plan, error) {
		return ParsePlan(object, o.Registry, o.mostSteps())
	})
	if err != nil || o.asks != nil {
		return err
	}
	if p == nil {
		o.host.Record(trace.Step{Kind: trace.Fallback, Name: trace.ByKeywords, Summary: "keywords chose the specialists"})
		p = Fallback(o.Text, o.Recent, o.Registry, o.mostSteps())
	}
	p.RefinedTask = cmp.Or(p.RefinedTask, o.Text)
	o.plan, o.alone = p, p.Alone
	return o.completePlan(ctx, o.Text+"\n"+o.Answer)
}

// completePlan adds the precise words of the user that the planner left out, replaces each
// delegator with the specialist chosen for it, and names the steps.
func (o *orchestration) completePlan(ctx context.Context, words string) error {
	if !o.alone { // otherwise the specialist reads the words themselves
		if kept := o.plan.AddPrecise(words); kept != nil {
			o.trace(traceStep{Kind: trace.PlannerResponse, Summary: "kept what the planner left out: " + strings.Join(kept, ", "), Detail: map[string]any{"kept": kept}})
		}
	}
	choose := func(ctx context.Context, by *Specialist, among []*Specialist, task string) (string, error) {
		return o.ask(ctx, o.Registry.choiceRequest(o.host.Prompt("choose"), among, task))
	}
	err := o.Registry.Expand(ctx, o.plan, choose, func(from, to, by string) {
		o.trace(traceStep{Kind: trace.SpecialistExpand, Specialist: from, Summary: from + " is done by " + to, Detail: map[string]any{"to": to, "by": by}})
	})
	if err != nil {
		return err
	}
	o.nameSteps()
	o.trace(traceStep{Kind: trace.SpecialistRoute, Summary: o.plan.Route(), Detail: map[string]any{
		"by": o.plan.By, "refinedTask": o.plan.RefinedTask, "extractedContext": o.plan.Context,
		"instructions": o.plan.Instructions, "notes": o.plan.Notes,
	}})
	return nil
}

// mostSteps returns how many more steps the plan may have.
func (o *orchestration) mostSteps() int {
	return max(1, cmp.Or(o.Limits.Steps, 15)-len(o.old))
}

// findOldSteps sets old to the steps of the revised plan that still have operations in the
// draft, and lastOld to the number of its last step.
func (o *orchestration) findOldSteps() {
	has := map[string]bool{}
	for _, op := range o.Env.Draft.Operations() {
		has[op.Step] = true
	}
	for _, s := range o.Steps {
		if has[s.ID] {
			o.old = append(o.old, s)
		}
		o.lastOld = max(o.lastOld, numberOf(s))
	}
}

// numberOf returns the number in the id of a step, 0 if it has no usable number.
func numberOf(s plan.Step) int {
	n, err := strconv.Atoi(strings.TrimPrefix(s.ID, "s"))
	if err != nil || n >= math.MaxInt32 {
		return 0
	}
	return n
}

// nameSteps makes a step of each assignment, with an id that the plan has not used.
func (o *orchestration) nameSteps() {
	name := func(i int) string { return "s" + strconv.Itoa(o.lastOld+1+i) }
	for i, work := range o.plan.Work {
		s := plan.Step{ID: name(i), Description: phrase.FirstLine(work.Specialist+": "+cmp.Or(o.plan.Instructions[work.Specialist], o.plan.RefinedTask), 200)}
		for _, k := range work.After {
			s.DependsOn = append(s.DependsOn, name(k))
		}
		o.steps = append(o.steps, s)
	}
}

// Choose asks a model which of several specialists should do a task, and returns its
// answer.
type Choose func(ctx context.Context, by *Specialist, among []*Specialist, task string) (answer string, err error)

// Expand replaces each specialist of the plan that only delegates with one that works. It asks a
// model to choose; if that fails, keywords choose, and without a match the first is taken.
// Expand calls told for each choice. The error is ctx's.
func (r *Registry) Expand(ctx context.Context, p *Plan, choose Choose, told func(from, to, by string)) error {
	for i := range p.Work {
		seen := map[string]bool{}
		for s := r.Find(p.Work[i].Specialist); s.Delegates != nil; {
			seen[s.ID] = true
			var among []*Specialist
			for _, id := range s.Delegates {
				if to := r.Find(id); to != nil && !seen[id] {
					among = append(among, to)
				}
			}
			next, by, err := r.choose(ctx, p, s, among, choose)
			if err != nil {
				return err
			}
			told(s.ID, next.ID, by)
			if text, ok := p.Instructions[s.ID]; ok && p.Instructions[next.ID] == "" {
				p.Instructions[next.ID] = text
			}
			p.Work[i].Specialist, s = next.ID, next
		}
	}
	return nil
}

// choose chooses one of several specialists. If there is none to choose, as in a circle of
// delegators, it returns the general one.
func (r *Registry) choose(ctx context.Context, p *Plan, s *Specialist, among []*Specialist, choose Choose) (next *Specialist, by string, err error) {
	switch len(among) {
	case 0:
		return r.Find(General), ByRules, nil
	case 1:
		return among[0], ByRules, nil
	}
	task := p.RefinedTask
	if text := p.Instructions[s.ID]; text != "" {
		task += "\n\n" + text
	}
	answer, err := choose(ctx, s, among, task)
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	if err == nil {
		if next := parseChoice(answer, among); next != nil {
			return next, ByModel, nil
		}
	}
	for _, to := range among {
		if asksFor(task, to.Keywords) {
			return to, ByRules, nil
		}
	}
	return among[0], ByRules, nil
}

// Fallback returns the plan of a request for which the planner gave no usable answer: the
// specialists that have a keyword in the request, at most most of them, one after the other. If
// none has, it takes the newest message of recent, as [Recent] returns it, that matches a
// keyword: "do the same for b.txt" says nothing itself. Otherwise the general specialist works.
// The task is the request itself.
func Fallback(request, recent string, r *Registry, most int) *Plan {
	p := &Plan{By: ByRules, RefinedTask: request}
	said := []string{request}
	for _, line := range slices.Backward(strings.Split(recent, "\n")) {
		if _, message, ok := strings.Cut(line, ": "); ok {
			said = append(said, message)
		}
	}
	for i := 0; len(p.Work) == 0 && i < len(said); i++ {
		for _, s := range r.list {
			if len(p.Work) < most && s.ID != General && asksFor(said[i], s.Keywords) {
				p.Work = append(p.Work, Assignment{Specialist: s.ID})
			}
		}
		if i > 0 && len(p.Work) > 0 {
			p.note("No word of the request names a specialist; one of what was said before does.")
		}
	}
	if len(p.Work) == 0 {
		p.Work = []Assignment{{Specialist: General}}
	}
	p.Alone = len(p.Work) == 1
	p.queue()
	return p
}

// asksFor reports whether a request has one of the words.
func asksFor(request string, words []string) bool {
	has := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(request), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		has[w] = true
	}
	return slices.ContainsFunc(words, func(w string) bool { return has[strings.ToLower(w)] })
}

package turn

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/event"
	"redline/agent/intent"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/tool"
	"redline/agent/trace"
	"redline/agent/traces"
	"redline/internal/phrase"
)

// request returns the first messages for a turn's model: the system prompt, the earlier
// messages, the report on the conversation's plans, and the message. A report that cannot be
// made is an error, except for a question.
func (w *work) request(ctx context.Context, system string) ([]model.Message, error) {
	report, err := w.report(ctx, w.turn.Conversation.ID)
	if err != nil && w.route != routeAsk { // a question needs no plans
		return nil, err
	}
	messages := []model.Message{{Role: model.RoleSystem, Content: system + "\n" + w.prompt("context")}}
	messages = append(messages, w.said()...)
	if report != "" {
		messages = append(messages, model.Message{Role: model.RoleUser, Content: report})
	}
	if c := w.turn.continued; c != nil {
		messages[0].Content += "\n" + c.system(w.prompt("continue"), w.env.Draft.News())
		return append(messages, c.said(w.userMessage(ctx, &c.request))...), nil
	}
	return append(messages, w.userMessage(ctx, &w.turn.request)), nil
}

// envFor returns the environment of a turn's tools, which stage in d.
func (w *work) envFor(d *draft.Draft) *tool.Env {
	return &tool.Env{
		Editor: toolEditor{w}, Draft: d, Workspace: w.ws, Named: namedIn(w.turn.request.Own()), Step: onlyStep, MaxSteps: w.settings.Limits.Steps,
		Asks: w.flags != nil && intent.OnlyAsks(*w.flags, w.turn.request.Own()), Develops: w.flags != nil && w.flags.Develop && !w.flags.Conversational,
	}
}

// hooks returns the hooks that report what happens in a turn as it happens.
func (w *work) hooks() loop.Hooks {
	t := w.turn
	return loop.Hooks{
		Text: func(s string) {
			w.notify(event.Event{Kind: event.TokenArrived, Turn: t.ID, Conversation: t.Conversation.ID, Text: s})
		},
		Tool: func(name, summary string) {
			w.notify(event.Event{Kind: event.ToolCalled, Turn: t.ID, Conversation: t.Conversation.ID, Name: name, Summary: summary})
		},
		Staged: func(s draft.Staged) {
			w.notify(event.Event{Kind: event.HunkStaged, Turn: t.ID, Conversation: t.Conversation.ID, Path: s.Path})
		},
		Typed: func() int { return w.Board.TypedIn(w.env.Draft) },
		Called: func(c model.Call, note string) {
			summary := traces.CallSummary(c)
			if note != "" {
				summary = strings.TrimLeft(summary+": "+phrase.FirstLine(note, 200), ": ")
			}
			w.Record(trace.Step{Kind: trace.Tool, Name: phrase.FirstLine(c.Name, 64), Summary: summary})
		},
		Notice: t.Notice,
	}
}

// Record adds a step to the trace of the turn.
func (w *work) Record(s trace.Step) {
	if r := w.Traces.Of(w.turn.ID); r != nil {
		r.Record(s)
	}
}

// converse has the model work on a request with its tools. It puts the result into w.outcome
// and the turn's answer and usage, also if it fails.
func (w *work) converse(ctx context.Context, messages []model.Message, tools []tool.Tool, hooks loop.Hooks) error {
	if w.turn.continued != nil && len(w.turn.continued.exchanges()) >= maxQuestions {
		tools = slices.DeleteFunc(tools, func(t tool.Tool) bool { return t.Name == tool.AskUser })
	}
	tools = w.Reach.With(ctx, tools, w.env, w.turn.Warn)
	asks := model.Editing
	switch w.route {
	case routeAsk:
		asks = model.Answering
	case routeText:
		asks = model.Planning
	}
	var err error
	w.outcome, err = loop.Run(ctx, model.For(w.Model, asks), messages, tools, w.env, w.settings.Limits, hooks)
	if w.outcome.Stopped != "" {
		trace.Record(ctx, trace.Step{Kind: trace.Limit, Summary: w.outcome.Stopped})
	}
	w.undone = leftUndone(w.outcome, w.env.Draft)
	w.turn.Update(func(r *conversation.Result) {
		r.Answer, r.Unfinished = w.outcome.Text, w.undone
		r.Usage = asUsage(w.aside.Plus(w.outcome.Usage))
	})
	return err
}

// namedIn reports which files the user's own words name: only then may files that hold secrets
// be read.
func namedIn(text string) func(path string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("`'\"“”‘’()<>,;:@", r) })
	return func(path string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return path == strings.TrimPrefix(strings.TrimRight(w, ".?!"), "./")
		})
	}
}

package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/agent/board"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/agent/trace"
	"redline/agent/view"
	"redline/internal/phrase"
)

// Limits of a turn that reports: requests to the model, and bytes of its answer, which is about
// a screen.
const (
	maxReportRequests = 4
	maxReportAnswer   = 4 << 10
)

// ReportOn queues a turn of the plan's conversation that reports the results of the plan's
// commands, if the plan or the user's settings ask for that. The commands must have run. It
// returns the turn's id, or "" if it queued none. The built-in model reports nothing.
func (ts *Turns) ReportOn(h *board.Held) (turn string) {
	p, r := h.Now()
	switch {
	case ts.builtin(), ts.settings.Report == config.ReportNever, ts.settings.Report != config.ReportAlways && !r.Report:
		return ""
	}
	return ts.Conversations.Queue(conversation.Request{
		Message: conversation.Message{Text: fmt.Sprintf("The commands of plan %d have run: report the results.", p.Number), Conversation: p.Conversation},
		Typed:   new(string), Report: p.Number,
	})
}

// handleReport has the model report the results of a plan's commands. It can read and show
// places; it stages nothing.
func handleReport(ctx context.Context, w *work) error {
	w.stageIn(draft.New(w.ws))
	messages, err := w.briefing.onCommands(ctx)
	if err != nil {
		return err
	}
	w.env.Asks = true // edits in its answer are only examples
	hooks := w.hooks()
	hooks.Text = upTo(maxReportAnswer, hooks.Text)
	if err := w.converse(ctx, messages, tool.Reporting(), hooks); err != nil {
		return err
	}
	w.remember(withUndone(phrase.StartBytes(strings.TrimSpace(w.outcome.Text), maxReportAnswer), w.undone))
	return nil
}

// upTo returns a function that passes on only the first max bytes of a text that arrives in
// pieces.
func upTo(max int, show func(string)) func(string) {
	left := max
	return func(s string) {
		if len(s) > left {
			s = strings.ToValidUTF8(s[:left], "")
			left = len(s)
		}
		if left -= len(s); s != "" {
			show(s)
		}
	}
}

// Bounds of a reflection. maxReflectedTrace is in bytes.
const (
	maxReflectedTrace = 24 << 10
	maxReflection     = 1000 // tokens
)

// Reflect asks the model for a short analysis of an ended turn of this session, and of the state
// of its plan. It is one more request, recorded in the turn's trace, and changes nothing. With
// the built-in model, which cannot do it, the text says so.
func (ts *Turns) Reflect(ctx context.Context, turn string) (string, error) {
	if ts.builtin() {
		return "Skipped: the built-in model cannot look back at a turn. Configure a model to have it analysed.", nil
	}
	r := ts.Traces.Of(turn)
	if r == nil {
		return "", plan.Refuse(plan.Invalid, "There is no turn %s in this session to reflect on.", turn)
	}
	about, err := ts.reflectedOn(ctx, r.Trace())
	if err != nil {
		return "", err
	}
	ctx = model.Observe(trace.With(ctx, r), conversation.Observer(r))
	reply, err := ts.Model.Complete(ctx, model.Request{
		Messages: []model.Message{
			{Role: model.RoleSystem, Content: ts.prompt("reflect")},
			{Role: model.RoleUser, Content: about},
		},
		MaxTokens: maxReflection,
	}, nil)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(reply.Text)
	if text == "" {
		return "", errors.New("the model had nothing to say about the turn: ask again without --reflect")
	}
	trace.Record(ctx, trace.Step{Kind: trace.Reflection, Detail: text})
	ts.Traces.Keep(turn)
	return text, nil
}

// reflectedOn describes a turn for the model, as data: the request, the steps and the state of
// the plan.
func (ts *Turns) reflectedOn(ctx context.Context, t trace.Trace) (string, error) {
	var b strings.Builder
	t.Steps = onceEach(t.Steps)
	fmt.Fprintf(&b, "The request:\n\n%s\nThe steps:\n\n%s", phrase.Indent(t.Request), phrase.Indent(bounded(t.Text(), maxReflectedTrace)))
	if counts := callCounts(t.Steps); counts != "" {
		fmt.Fprintf(&b, "\nThe calls of tools: %s.\n", counts)
	}
	if t.Answer != "" {
		fmt.Fprintf(&b, "\nThe answer to the user:\n\n%s", phrase.Indent(t.Answer))
	}
	if t.Plan == 0 {
		b.WriteString("\nThe turn has made no plan.\n")
		return b.String(), nil
	}
	p, err := ts.Board.PlanState(ctx, t.Plan)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, f := range p.Files {
		lines = append(lines, fmt.Sprintf("%s %s +%d -%d: %s %s", f.Action, f.Path, f.Added, f.Removed, f.Status, f.Reason))
	}
	fmt.Fprintf(&b, "\nPlan %d is %s:\n\n%s", p.Plan, strings.ReplaceAll(p.State, "_", " "), phrase.Indent(bounded(strings.Join(lines, "\n"), maxReflectedTrace)))
	h, err := ts.Board.Find(ctx, t.Plan)
	if err != nil {
		return "", err
	}
	if results := view.ReportResults(h.Now()); results != "" {
		fmt.Fprintf(&b, "\nexecution_results:\n\n%s", phrase.Indent(bounded(results, maxReflectedTrace)))
	}
	return b.String(), nil
}

// resultKinds maps the kind of a call's step to the kind of the step that has its result.
var resultKinds = map[trace.Kind]trace.Kind{trace.Tool: trace.ToolDone, trace.SpecialistTool: trace.SpecialistToolDone}

// onceEach returns the steps without those calls whose result is in a later step, since the
// result names the call too.
func onceEach(steps []trace.Step) []trace.Step {
	type call struct {
		kind trace.Kind
		name string
	}
	results := map[call]int{}
	var out []trace.Step
	for _, s := range slices.Backward(steps) {
		name := s.Name
		if t, ok := tool.Find(tool.All(), name); ok {
			name = t.Name // of an alias
		}
		switch result := (call{resultKinds[s.Kind], name}); {
		case s.Kind == trace.ToolDone, s.Kind == trace.SpecialistToolDone:
			results[call{s.Kind, name}]++
		case results[result] > 0:
			results[result]--
			continue
		}
		out = append(out, s)
	}
	slices.Reverse(out)
	return out
}

// callCounts counts the calls of each tool, those that only read included: "3 read_file, 1
// edit_file"; "" for none.
func callCounts(steps []trace.Step) string {
	counts := map[string]int{}
	var names []string
	for _, s := range steps {
		if s.Kind != trace.ToolDone && s.Kind != trace.SpecialistToolDone {
			continue
		}
		if counts[s.Name]++; counts[s.Name] == 1 {
			names = append(names, s.Name)
		}
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", counts[name], name)
	}
	return strings.Join(names, ", ")
}

// bounded keeps the beginning and the end of a text that is too long, because the end of a turn
// matters most.
func bounded(text string, max int) string {
	if len(text) <= max {
		return text
	}
	return strings.ToValidUTF8(text[:max/2], "") + "\n…\n" + strings.ToValidUTF8(text[len(text)-max/2:], "")
}

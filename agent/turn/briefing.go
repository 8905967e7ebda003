package turn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/brief"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/agent/view"
	"redline/internal/phrase"
)

// briefing makes what the model of a turn is told: the system prompt, what was said before, what the
// conversation's plans are and what became of them, and the message with its context.
type briefing struct {
	ts       *Turns
	turn     *turn
	route    string
	mode     string        // of the turn
	flags    *state.Intent // what the message wants, nil if it was not classified
	agent    *primary
	revising *revising
	env      *tool.Env // its draft is what the model sees

	factless model.Message // the user's message as the model gets it, without the facts about the project
}

// userMessage returns the message m of a turn for the model: the user's own words, then a fenced
// block with the context gathered for it. It tells the user which context that they named does
// not fit.
func (b *briefing) userMessage(ctx context.Context, m *conversation.Request) model.Message {
	var read []string
	if b.route != routeWorkOut && !b.ts.builtin() { // the former gets the texts
		read = b.turn.reads.places(b.env.Draft)
	}
	with := brief.Gather(ctx, b.ts.ws, b.env.Draft, brief.Request{
		Own: m.Own(), Named: namedIn(m.Own()),
		Path: m.Path, Lines: m.Lines, Selection: m.Selection, Output: m.Output, Facts: b.facts(ctx, m.Path), Read: read,
	}, b.ts.settings.Context)
	if text := with.Notice(); text != "" {
		b.turn.Notice(text)
	}
	message := func(with brief.Brief) model.Message {
		content := m.Text
		if text := with.Text(); text != "" {
			content += "\n\n" + text
		}
		return model.Message{Role: model.RoleUser, Content: content}
	}
	b.factless = message(with.WithoutFacts())
	return message(with)
}

// facts returns the facts of the project for a request about the file at path. They take at most
// an eighth of the context's tokens.
func (b *briefing) facts(ctx context.Context, path string) []string {
	if b.ts.Facts == nil || b.ts.builtin() {
		return nil
	}
	return b.ts.Facts.Known(ctx).Lines(path, min(brief.MaxFactTokens, b.ts.settings.Context.Tokens/8))
}

// said returns the earlier messages of a conversation in the form that its model gets.
func (b *briefing) said() []model.Message {
	messages, _ := b.turn.Conversation.Memory.Value().Messages(b.ts.prompt("earlier"), b.ts.settings.Context.Tokens)
	return messages
}

// prompt returns the prompt with a name: the user's own if there is one. If the user's cannot be
// used, it returns the built-in prompt and tells the user, once in a session.
func (ts *Turns) prompt(name string) string {
	text, err := brief.Prompts{Dir: ts.settings.Prompts}.Text(name)
	if err == nil {
		return text
	}
	if sentence := phrase.SentenceOf(err); ts.Session.First(sentence) {
		ts.Session.Notify(state.Event{Kind: state.Noticed, Error: sentence})
	}
	return text
}

// Bounds of a report on the plans of a conversation, which covers the newest ones.
const (
	maxReported = 3  // plans listed with each part and decision
	maxEarlier  = 10 // plans listed by their file names
)

// report returns what has happened to plans, newest first, since they were made, for a model that
// reads it before a request; "" for nothing.
func (ts *Turns) report(ctx context.Context, plans []*plan.Plan) (string, error) {
	var lines []string
	for _, made := range slices.Backward(plans) { // oldest first
		decisions, err := ts.store.Decisions(ctx, ts.Session.Key(), made.Number)
		if err != nil {
			return "", err
		}
		if line := view.ReportStatus(made, decisions); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	return ts.prompt("report") + "\n" + strings.Join(lines, "\n"), nil
}

// maxSeen is how many files of plans are read for one request.
const maxSeen = 100

// changes quotes what the newest plan of the conversation proposes and what has happened to it,
// and names what earlier plans have changed; "" if there are none. plans are the conversation's,
// newest first.
func (b *briefing) changes(ctx context.Context, plans []*plan.Plan) string {
	h := b.revising.plan
	if h == nil {
		h = b.turn.about
	}
	if h == nil && len(plans) > 0 { // it is closed, so the board does not have it
		var err error
		if h, err = b.ts.held(ctx, plans[0].Number); err != nil {
			b.ts.log.Info("a plan cannot be quoted to the model", zap.Int("plan", plans[0].Number), zap.Error(err))
		}
	}
	room := maxSeen
	seen := func(h *board.Held) *view.Plan {
		if room -= len(h.Revision().Changes); room < 0 {
			return b.ts.Board.View(h)
		}
		return b.ts.Board.Seen(h)
	}
	var newest *view.Plan
	if h != nil {
		newest = seen(h)
		plans = slices.DeleteFunc(slices.Clone(plans), func(p *plan.Plan) bool { return p.Number == h.Number() })
	}
	earlier := view.ReportEarlier(plans, func(n int) *view.Plan {
		if h := b.ts.Board.Held(n); h != nil {
			return seen(h)
		}
		return nil
	})
	if newest == nil {
		return earlier
	}
	quoted := view.ReportChanges(newest, b.ts.ws.Secret, h == b.revising.plan && b.revising.hasEdits(), view.MaxReported-len(earlier))
	if quoted != "" && earlier != "" {
		quoted += "\n\n"
	}
	return quoted + earlier
}

// held returns a plan that the session holds, or else the store has.
func (ts *Turns) held(ctx context.Context, n int) (*board.Held, error) {
	if h := ts.Board.Held(n); h != nil {
		return h, nil
	}
	return ts.Board.Find(ctx, n)
}

// request returns the first messages to a turn's model. What stays the same from turn to turn
// comes first, for the cache of providers: the system prompt and the earlier messages. Then come
// the report on the conversation's plans, about (what the turn is about, "" if the message says
// it all), and the message. A report that cannot be made is an error, except for a question.
func (b *briefing) request(ctx context.Context, system, about string) ([]model.Message, error) {
	return b.messages(ctx, system, about, func(m *conversation.Request) model.Message { return b.userMessage(ctx, m) })
}

// messages does what request does, with a message that user makes from the turn's request.
func (b *briefing) messages(ctx context.Context, system, about string, user func(*conversation.Request) model.Message) ([]model.Message, error) {
	in, err := b.ts.situation(ctx, b.turn)
	if err != nil {
		if in = new(situation); b.route != routeAsk { // a question does not need the plans
			return nil, err
		}
	}
	report := in.report
	if changes := b.changes(ctx, in.plans); changes != "" {
		report = cmp.Or(report, b.ts.prompt("report")) + "\n" + changes
	}
	messages := []model.Message{{Role: model.RoleSystem, Content: system + "\n" + b.ts.prompt("context") + b.agent.prompt(b.ts.prompt)}}
	messages = append(messages, b.said()...)
	if report != "" {
		messages = append(messages, model.Message{Role: model.RoleUser, Content: report})
	}
	if c := b.turn.continued; c != nil {
		about = strings.TrimSpace(about + "\n" + c.about(b.ts.prompt("continue"), b.revising.labels.list(b.env.Draft.News(), b.ts.ws.Secret)))
	}
	if about != "" {
		messages = append(messages, model.Message{Role: model.RoleUser, Content: byRedline + about})
	}
	if c := b.turn.continued; c != nil {
		return append(messages, c.said(user(&c.request))...), nil
	}
	return append(messages, user(&b.turn.request)), nil
}

// onCommands returns the first messages to the model of a report: what has happened to the
// plan, the results of its commands and what it changes.
func (b *briefing) onCommands(ctx context.Context) ([]model.Message, error) {
	n := b.turn.request.Report
	h, err := b.ts.Board.Find(ctx, n)
	if err != nil {
		return nil, err
	}
	decisions, err := b.ts.store.Decisions(ctx, b.ts.Session.Key(), n)
	if err != nil {
		return nil, err
	}
	results := b.ts.prompt("report") + "\n" + view.ReportStatus(h.Plan(), decisions)
	if changes := view.ReportChanges(b.ts.Board.Seen(h), b.ts.ws.Secret, false, view.MaxReported); changes != "" {
		results += "\n" + changes
	}
	messages := append([]model.Message{{Role: model.RoleSystem, Content: b.ts.prompt("outcome")}}, b.said()...)
	return append(messages,
		model.Message{Role: model.RoleUser, Content: results},
		model.Message{Role: model.RoleUser, Content: b.turn.request.Text}), nil
}

// byRedline begins what Redline itself says about a turn, in a message with the role of the
// user.
const byRedline = "[By Redline, about the next message.]\n"

// namedIn reports whether the user's own words name a file. Only then may a file that holds
// secrets be read.
func namedIn(text string) func(path string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("`'\"“”‘’()<>,;:@", r) })
	return func(path string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return path == strings.TrimPrefix(strings.TrimRight(w, ".?!"), "./")
		})
	}
}

// stepsInWords lists the steps of a plan and their progress for a model; "" for none.
func stepsInWords(p *plan.Plan, r *plan.Revision) string {
	var b strings.Builder
	for i, status := range p.Steps(r, p.Operations(r)) {
		s := &r.Steps[i]
		if i == 0 {
			b.WriteString("\nSteps:\n")
		}
		fmt.Fprintf(&b, "- %s: %s (%s)", s.ID, phrase.FirstLine(s.Description, 200), strings.ReplaceAll(string(status), "_", " "))
		if len(s.DependsOn) > 0 {
			fmt.Fprintf(&b, "; after %s", strings.Join(s.DependsOn, ", "))
		}
		if s.When != nil {
			fmt.Fprintf(&b, "; %s", s.When)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// changeSystem returns the system prompt of a change.
func (b *briefing) changeSystem() string {
	system := b.ts.prompt("system") + "\n" + b.ts.prompt("steps")
	if b.mode == "plan" || b.flags != nil && b.flags.Plan {
		system += "\n" + b.ts.prompt("plan")
	}
	return system
}

// reworked describes to a model the plan that is being reworked, with the named prompt before it, and
// what the user rejected of it; "" if the turn begins a plan.
func (b *briefing) reworked(ctx context.Context, prompt string) (string, error) {
	if b.revising.plan == nil {
		return "", nil
	}
	p, r := b.revising.plan.Now()
	rejected, err := view.ReportRejections(p, b.ts.prompt("rejected"), b.ts.ws.Secret, b.ts.store.Texts(ctx))
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("%s\nGoal: %s\n\n%s\n", b.ts.prompt(prompt), p.Goal, b.description(r, prompt == "rework"))
	if len(r.Steps) != 1 || r.Steps[0].Description != p.Goal { // else the only step says nothing new
		text += stepsInWords(p, r)
	}
	if list := operationsInWords(p, r, b.revising.taken); list != "" {
		text += "\nIts operations:\n" + list
	}
	if rejected != "" {
		text += "\n" + rejected
	}
	return text, nil
}

// description returns the description of a revision for a model. If the model gets the earlier
// messages too, and one of them is that text, it only says so.
func (b *briefing) description(r *plan.Revision, recalls bool) string {
	text := strings.TrimSpace(r.Description)
	if recalls && len(text) > shortDescription && slices.ContainsFunc(b.said(), func(m model.Message) bool {
		return m.Role == model.RoleAssistant && strings.TrimSpace(m.Content) == text
	}) {
		return fmt.Sprintf("It is described in your answer above that begins %q.", phrase.FirstLine(text, shortDescription/2))
	}
	return r.Description
}

// shortDescription is the size of a description, in bytes, that is simply repeated.
const shortDescription = 120

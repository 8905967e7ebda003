package turn

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"redline/agent/brief"
	"redline/agent/conversation"
	"redline/agent/event"
	"redline/agent/model"
	"redline/agent/prompts"
	"redline/agent/report"
	"redline/agent/store"
	"redline/internal/phrase"
)

// userMessage returns the message m of a turn for the model: the user's own words, then a
// fenced block with the context gathered for it. It tells the user of context that they named
// and that does not fit.
func (w *work) userMessage(ctx context.Context, m *conversation.Request) model.Message {
	b := brief.Gather(ctx, w.ws, w.env.Draft, brief.Request{
		Own: m.Own(), Named: namedIn(m.Own()),
		Path: m.Path, Lines: m.Lines, Selection: m.Selection,
	}, w.settings.Context)
	if text := b.Notice(); text != "" {
		w.turn.Notice(text)
	}
	content := m.Text
	if text := b.Text(); text != "" {
		content += "\n\n" + text
	}
	return model.Message{Role: model.RoleUser, Content: content}
}

// said returns the earlier messages of a conversation as its model gets them.
func (w *work) said() []model.Message {
	messages, _ := w.turn.Conversation.Memory.Value().Messages(w.prompt("earlier"), w.settings.Context.Tokens)
	return messages
}

// prompt returns the prompt with a name: the user's own if there is one. If theirs cannot be
// used, it returns the built-in one and tells the user once in a session.
func (ts *Turns) prompt(name string) string {
	text, err := prompts.Set{Dir: ts.settings.Prompts}.Text(name)
	if err == nil {
		return text
	}
	if sentence := phrase.SentenceOf(err); ts.Session.First(sentence) {
		ts.Session.Notify(event.Event{Kind: event.Noticed, Error: sentence})
	}
	return text
}

// maxReported is how many plans of a conversation a report covers, the newest ones.
const maxReported = 3

// madeReport is a report on a conversation's plans, kept until something has changed.
type madeReport struct {
	text string
	news int // see [board.Board.News]: another value means that something has changed
}

// report returns the report on a conversation's plans that its model reads before a request:
// what has happened to them since they were made. It is made from the store, so it is true
// after a restart and covers what other processes decided. It is "" if there is nothing to
// report.
func (ts *Turns) report(ctx context.Context, conversation string) (string, error) {
	news := ts.Board.News(conversation)
	if kept, ok := ts.reports.Load(conversation); ok && kept.(madeReport).news == news {
		return kept.(madeReport).text, nil
	}
	plans, err := ts.store.Plans(ctx, ts.Session.Key(), store.Filter{Conversation: conversation, Limit: maxReported})
	if err != nil {
		return "", err
	}
	var lines []string
	for _, made := range slices.Backward(plans) { // oldest first
		decisions, err := ts.store.Decisions(ctx, ts.Session.Key(), made.Number)
		if err != nil {
			return "", err
		}
		if line := report.Status(made, decisions); line != "" {
			lines = append(lines, line)
		}
	}
	text := ""
	if len(lines) > 0 {
		text = ts.prompt("report") + "\n" + strings.Join(lines, "\n")
	}
	ts.reports.Store(conversation, madeReport{text, news})
	return text, nil
}

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

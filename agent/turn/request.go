package turn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/brief"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/recall"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/view"
	"redline/internal/fence"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// userMessage returns the message m of a turn for the model: the user's own words, then a fenced
// block with the context gathered for it. It tells the user which context that they named does
// not fit.
func (w *work) userMessage(ctx context.Context, m *conversation.Request) model.Message {
	var read []string
	if w.route != routeWorkOut { // it gets the texts
		read = w.knownPlaces()
	}
	b := brief.Gather(ctx, w.ws, w.env.Draft, brief.Request{
		Own: m.Own(), Named: namedIn(m.Own()),
		Path: m.Path, Lines: m.Lines, Selection: m.Selection, Output: m.Output, Facts: w.facts(ctx, m.Path), Read: read,
	}, w.settings.Context)
	if text := b.Notice(); text != "" {
		w.turn.Notice(text)
	}
	with := func(b brief.Brief) model.Message {
		content := m.Text
		if text := b.Text(); text != "" {
			content += "\n\n" + text
		}
		return model.Message{Role: model.RoleUser, Content: content}
	}
	w.factless = with(b.WithoutFacts())
	return with(b)
}

// facts returns the facts of the project for a request about the file at path. They take at most
// an eighth of the context's tokens.
func (w *work) facts(ctx context.Context, path string) []string {
	if w.Facts == nil || w.builtin() {
		return nil
	}
	return w.Facts.Known(ctx).Lines(path, min(brief.MaxFactTokens, w.settings.Context.Tokens/8))
}

// said returns the earlier messages of a conversation in the form that its model gets.
func (w *work) said() []model.Message {
	messages, _ := w.turn.Conversation.Memory.Value().Messages(w.prompt("earlier"), w.settings.Context.Tokens)
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

// madeReport is a report on a conversation's plans, cached until something changes.
type madeReport struct {
	text  string
	plans []*plan.Plan // newest first
	news  int          // see [board.Board.News]: a different value means that something has changed
}

// report returns the report on a conversation's plans that the model reads before a request:
// what has happened to them since they were made. It reads the store, so it is right after a
// restart and includes decisions made in other processes. The text is "" if there is nothing to
// report.
func (ts *Turns) report(ctx context.Context, conversation string) (madeReport, error) {
	news := ts.Board.News(conversation)
	if kept, ok := ts.reports.Load(conversation); ok && kept.(madeReport).news == news {
		return kept.(madeReport), nil
	}
	plans, err := ts.store.Plans(ctx, ts.Session.Key(), store.Filter{Conversation: conversation, Limit: maxEarlier})
	if err != nil {
		return madeReport{}, err
	}
	var lines []string
	for _, made := range slices.Backward(plans[:min(maxReported, len(plans))]) { // oldest first
		decisions, err := ts.store.Decisions(ctx, ts.Session.Key(), made.Number)
		if err != nil {
			return madeReport{}, err
		}
		if line := view.ReportStatus(made, decisions); line != "" {
			lines = append(lines, line)
		}
	}
	made := madeReport{plans: plans, news: news}
	if len(lines) > 0 {
		made.text = ts.prompt("report") + "\n" + strings.Join(lines, "\n")
	}
	ts.reports.Store(conversation, made)
	return made, nil
}

// maxSeen is how many files of plans are read for one request.
const maxSeen = 100

// changes quotes what the newest plan of the conversation proposes and what has happened to it,
// and names what earlier plans have changed; "" if there are none. plans are the conversation's,
// newest first.
func (w *work) changes(ctx context.Context, plans []*plan.Plan) string {
	h := w.revised
	if h == nil {
		h = w.turn.about
	}
	if h == nil && len(plans) > 0 { // it is closed, so the board does not have it
		h = w.closedPlan(ctx, plans[0].Number)
	}
	room := maxSeen
	seen := func(h *board.Held) *view.Plan {
		if room -= len(h.Revision().Changes); room < 0 {
			return w.Board.View(h)
		}
		return w.Board.Seen(h)
	}
	var newest *view.Plan
	if h != nil {
		newest = seen(h)
		plans = slices.DeleteFunc(slices.Clone(plans), func(p *plan.Plan) bool { return p.Number == h.Number() })
	}
	earlier := view.ReportEarlier(plans, func(n int) *view.Plan {
		if h := w.Board.Held(n); h != nil {
			return seen(h)
		}
		return nil
	})
	if newest == nil {
		return earlier
	}
	quoted := view.ReportChanges(newest, w.ws.Secret, h == w.revised && w.listsRejections(), view.MaxReported-len(earlier))
	if quoted != "" && earlier != "" {
		quoted += "\n\n"
	}
	return quoted + earlier
}

// listsRejections reports whether the request lists what the user has rejected of the plan that is
// reworked, with its lines; a plan in words has none.
func (w *work) listsRejections() bool { return w.revised != nil && !w.revised.Revision().TextOnly }

// closedPlan returns a plan from the store, nil if it cannot be read.
func (w *work) closedPlan(ctx context.Context, n int) *board.Held {
	if h := w.Board.Held(n); h != nil {
		return h
	}
	h, err := w.Board.Find(ctx, n)
	if err != nil {
		w.log.Info("a plan cannot be quoted to the model", zap.Int("plan", n), zap.Error(err))
		return nil
	}
	return h
}

// request returns the first messages to a turn's model. What stays the same from turn to turn
// comes first, for the cache of providers: the system prompt and the earlier messages. Then come
// the report on the conversation's plans, about (what the turn is about, "" if the message says
// it all), and the message. A report that cannot be made is an error, except for a question.
func (w *work) request(ctx context.Context, system, about string) ([]model.Message, error) {
	return w.messages(ctx, system, about, func(m *conversation.Request) model.Message { return w.userMessage(ctx, m) })
}

// messages does what request does, with a message that user makes from the turn's request.
func (w *work) messages(ctx context.Context, system, about string, user func(*conversation.Request) model.Message) ([]model.Message, error) {
	made, err := w.report(ctx, w.turn.Conversation.ID)
	if err != nil && w.route != routeAsk { // a question does not need the plans
		return nil, err
	}
	report := made.text
	if changes := w.changes(ctx, made.plans); changes != "" {
		report = cmp.Or(report, w.prompt("report")) + "\n" + changes
	}
	messages := []model.Message{{Role: model.RoleSystem, Content: system + "\n" + w.prompt("context") + w.asAgent()}}
	messages = append(messages, w.said()...)
	if report != "" {
		messages = append(messages, model.Message{Role: model.RoleUser, Content: report})
	}
	if c := w.turn.continued; c != nil {
		about = strings.TrimSpace(about + "\n" + c.about(w.prompt("continue"), w.labels.list(w.env.Draft.News(), w.ws.Secret)))
	}
	if about != "" {
		messages = append(messages, model.Message{Role: model.RoleUser, Content: byRedline + about})
	}
	if c := w.turn.continued; c != nil {
		return append(messages, c.said(user(&c.request))...), nil
	}
	return append(messages, user(&w.turn.request)), nil
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

// Bounds of a request for a summary.
const (
	summaryWithin   = 30 * time.Second // the user waits for it
	maxSummary      = 1000             // tokens; a model that thinks first needs most of them
	maxSummaryInput = 4 << 10          // bytes of each message
)

// makeRoom shortens a conversation's memory to its budget. A model summarises the older
// exchanges; if it fails or is switched off, they are cut. The result is stored, so each
// exchange is shortened once, and the user is told.
func (w *work) makeRoom(ctx context.Context) {
	conv := w.turn.Conversation
	m := conv.Memory.Value()
	n := m.Older(w.settings.Context.Tokens)
	if n == 0 {
		return
	}
	text, how := w.summary(ctx, m, n), "summarised"
	if ctx.Err() != nil {
		return
	}
	if text == "" {
		how = "shortened"
	}
	conv.Memory.Fold(ctx, m, m.Fold(n, text, w.settings.Context.Tokens), n)
	w.turn.Notice(fmt.Sprintf("What was said earlier in this conversation was %s so that it fits (%s); context.tokens says how much fits.", how, phrase.Count(n, "turn")))
}

// summary has a model summarise the n oldest exchanges. It returns "" if there is no model for
// it or the model fails.
func (w *work) summary(ctx context.Context, m recall.Memory, n int) string {
	if w.settings.Summaries == config.SummariesOff || w.builtin() {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, summaryWithin)
	defer cancel()
	reply, err := model.For(w.Model, model.Summarising).Complete(ctx, model.Request{
		MaxTokens: maxSummary,
		Messages: []model.Message{
			{Role: model.RoleSystem, Content: w.prompt("summary")},
			{Role: model.RoleUser, Content: m.Transcript(n, maxSummaryInput)},
		},
	}, nil)
	w.aside = w.aside.Plus(reply.Usage)
	if err != nil {
		w.log.Info("what was said could not be summarised by the model", zap.Error(err))
		return ""
	}
	return strings.TrimSpace(reply.Text)
}

// reads are the lines that a turn has read, for the next one. Several specialists may read at the
// same time.
type reads struct {
	mu  sync.Mutex
	all recall.Read
}

func (r *reads) add(path, text string, first, last int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.Add(path, text, first, last)
}

// value returns what was read so far.
func (r *reads) value() recall.Read {
	r.mu.Lock()
	defer r.mu.Unlock()
	return recall.DecodeRead(r.all.Encode()) // a copy
}

// saw notes lines that a tool has shown, unless the file may hold secrets.
func (w *work) saw(path, text string, first, last int) {
	if !w.ws.Secret(path) && !secrets.Text(path, text) {
		w.turn.reads.add(path, text, first, last)
	}
}

// known returns the lines that earlier turns of the conversation have read and that are still the
// same in the turn's draft, the newest first.
func (w *work) known() []recall.Known {
	return w.turn.Conversation.Memory.Value().Read().In(func(path string) (string, bool) {
		if w.ws.Secret(path) || w.ws.OffLimits(path) != nil {
			return "", false
		}
		text, exists, err := w.env.Draft.Read(path)
		return text, err == nil && exists && !secrets.Text(path, text)
	})
}

// maxKnown is how many places are named in a request, and maxKnownText how many bytes of their
// texts a plan in words begins with.
const (
	maxKnown     = 30
	maxKnownText = 24 << 10
)

// knownPlaces names the lines that earlier turns have read, for the context of a request.
func (w *work) knownPlaces() (lines []string) {
	if w.builtin() {
		return nil
	}
	for i, k := range w.known() {
		if i == maxKnown {
			break
		}
		lines = append(lines, k.String())
	}
	return lines
}

// knownTexts quotes the lines that earlier turns have read, as they are now, for the turn that
// works out a plan; "" for none. Those that have no room are named.
func (w *work) knownTexts() string {
	var b strings.Builder
	var rest []string
	for _, k := range w.known() {
		if b.Len()+len(k.Text) > maxKnownText {
			rest = append(rest, k.String())
			continue
		}
		marks := fence.Around(k.Text)
		fmt.Fprintf(&b, "%s lines %d-%d of %d:\n%s\n%s\n%s\n", k.Path, k.First, k.Last, k.Of, marks, strings.TrimSuffix(k.Text, "\n"), marks)
		w.saw(k.Path, k.Whole, k.First, k.Last)
	}
	if len(rest) > 0 {
		fmt.Fprintf(&b, "Read too, and unchanged: %s\n", strings.Join(rest[:min(len(rest), maxKnown)], ", "))
	}
	if b.Len() == 0 {
		return ""
	}
	return "What was read for it, as it is now; do not read it again:\n" + b.String()
}

package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"redline/agent/backlog"
	"redline/agent/chat"
	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/store"
	"redline/agent/tool"
	"redline/agent/traces"
	"redline/internal/phrase"
)

// waiting is a conversation's turn that waits for its user's answer. It is in
// memory and in the store; what it needs to go on is in parked.
type waiting struct {
	turn   *turn // that has asked
	parked *parked
	id     int64              // in the store, 0 while that cannot take it
	over   context.Context    // ends when it is answered, or given up
	settle context.CancelFunc // ends over
}

// parked is all that a turn needs to go on when its user has answered. It is a
// record of its own and no revision: nothing of it was shown, so nothing of it can
// be approved, and a plan that is being revised stays as the user has seen it.
type parked struct {
	Question string        `json:"question"`
	Options  []string      `json:"options,omitempty"`
	Said     string        `json:"said,omitempty"` // what the model said besides
	NotRun   []string      `json:"not_run,omitempty"`
	Request  parkedRequest `json:"request"`
	Route    string        `json:"route"`
	Plan     int           `json:"plan,omitempty"` // that the turn revises, 0 for none
	Revision int           `json:"revision,omitempty"`
	Draft    draft.Parked  `json:"draft"`
	Steps    []plan.Step   `json:"steps,omitempty"`
	Before   []exchange    `json:"before,omitempty"` // earlier questions of the same request, with their answers
	Heap     *parkedHeap   `json:"heap,omitempty"`
}

// exchange is a question that was answered.
type exchange struct {
	Question string `json:"question"` // with what was said besides, and the options
	Answer   string `json:"answer"`
}

// parkedRequest is the message that the turn is about, without what only the
// session knows.
type parkedRequest struct {
	Text      string        `json:"text"`
	Own       string        `json:"own,omitempty"` // what of it the user has said
	Mode      string        `json:"mode,omitempty"`
	Goal      string        `json:"goal,omitempty"`
	Path      string        `json:"path,omitempty"`
	Lines     *[2]int       `json:"lines,omitempty"`
	Selection string        `json:"selection,omitempty"`
	Comment   *chat.Request `json:"comment,omitempty"`
	Client    string        `json:"client,omitempty"`
	WhenAsked string        `json:"when_asked,omitempty"` // see Message.textWhenAsked
}

func parkRequest(m *Message, goal string) parkedRequest {
	return parkedRequest{
		Text: m.Text, Own: m.own(), Mode: m.Mode, Goal: goal,
		Path: m.Path, Lines: m.Lines, Selection: m.Selection, Comment: m.Comment, WhenAsked: m.textWhenAsked,
		Client: m.Client,
	}
}

// message is the request as it was.
func (r *parkedRequest) message() Message {
	return Message{
		Text: r.Text, typed: &r.Own, Mode: r.Mode, goal: r.Goal,
		Path: r.Path, Lines: r.Lines, Selection: r.Selection, Comment: r.Comment, textWhenAsked: r.WhenAsked,
		Client: r.Client,
	}
}

// asked is the question as it is told: with what the model said before it, and the
// options as a list.
func (p *parked) asked() string {
	parts := []string{}
	if said := strings.TrimSpace(p.Said); said != "" {
		parts = append(parts, said)
	}
	parts = append(parts, p.Question)
	if len(p.Options) > 0 {
		parts = append(parts, "- "+strings.Join(p.Options, "\n- "))
	}
	return strings.Join(parts, "\n\n")
}

// park ends a turn with the question that its model asks: what was staged until
// then is kept, and the conversation waits.
func (a *Agent) park(ctx context.Context, w *work, q *tool.Question) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	t := w.turn
	p := &parked{
		Question: q.Text, Options: q.Options, Said: w.outcome.Text, Route: w.route,
		Request: parkRequest(&t.message, goalOf(t)), Steps: t.steps,
	}
	for _, c := range w.outcome.NotRun {
		p.NotRun = append(p.NotRun, strings.TrimSpace(phrase.FirstLine(c.Name, 64)+" "+traces.CallSummary(c)))
	}
	if w.draft != nil {
		p.Draft = w.draft.Park()
	}
	if c := w.continued; c != nil {
		p.Request, p.Before = c.parked.Request, c.exchanges()
		p.Request.Own = *c.request.typed
	}
	return a.parkAs(ctx, w, p)
}

// parkAs is park for who knows what is to be kept.
func (a *Agent) parkAs(ctx context.Context, w *work, p *parked) error {
	t := w.turn
	a.mu.Lock()
	if w.revised != nil {
		p.Plan, p.Revision = w.revised.plan.Number, w.revised.plan.Current
	}
	a.mu.Unlock()
	record, err := json.Marshal(p)
	if err != nil {
		return err
	}
	wait := &waiting{turn: t, parked: p}
	wait.over, wait.settle = context.WithCancel(a.root)
	q := &store.Question{Conversation: t.conv.id, Asked: a.now(), Record: string(record)}
	keep := func(ctx context.Context) error {
		a.mu.Lock()
		still := t.conv.waiting == wait
		a.mu.Unlock()
		if !still {
			return nil
		}
		err := a.store.Ask(ctx, a.workspaceKey(), q)
		a.update(func() { wait.id = q.ID })
		return err
	}
	a.update(func() { t.conv.waiting, t.waits = wait, wait })
	err = keep(context.WithoutCancel(ctx))
	switch {
	case backlog.MayPass(err):
		a.backlog.Add(backlog.Record{Stored: "The question is kept now.", Store: keep}, "The question, and what was staged before it, cannot be kept yet, because the plan database cannot be written.", err)
	case err != nil:
		a.update(func() { t.conv.waiting, t.waits = nil, nil })
		return err
	}
	if c := w.continued; c != nil {
		a.store.Unanswered(c.id) // this question has taken its place
		c.ended = true
	}
	a.update(func() { t.answer = p.asked() })
	a.tellQuestion(wait)
	return nil
}

// tellQuestion tells that a turn waits for an answer.
func (a *Agent) tellQuestion(w *waiting) {
	t := w.turn
	a.notify(Event{Kind: QuestionAsked, Turn: t.id, Conversation: t.conv.id, Text: w.parked.Question, Options: w.parked.Options})
}

// putQuestion has the editor put the question, where it can: what is chosen there is an
// answer like one in the chat, and whichever comes first counts. What was chosen is
// the model's words, so it is no command and names no file.
func (a *Agent) putQuestion(w *waiting) {
	if len(w.parked.Options) == 0 {
		return
	}
	a.spawn(func() {
		answer, err := a.editor.Ask(w.over, Question{Text: w.parked.Question, Options: w.parked.Options, Open: true})
		if err != nil || answer.Choice == "" {
			return
		}
		none := ""
		m := Message{Text: answer.Choice, Conversation: w.turn.conv.id, Client: w.turn.message.Client, typed: &none, answers: w}
		if _, _, err := a.enqueue(m); err != nil {
			a.notify(Event{Kind: Noticed, Turn: w.turn.id, Conversation: w.turn.conv.id, Error: phrase.SentenceOf(err)})
		}
	})
}

// takeAnswer has a message be the answer to the question that its conversation
// waits with, if it is one: the first such message is, whatever it says. A message
// that was meant for a question which waits no more is refused. The caller holds
// a.mu.
func (a *Agent) takeAnswer(conv *conversation, m *Message) error {
	w := conv.waiting
	if m.answers != nil && m.answers != w {
		return refuse(WrongState, "The question was answered or given up already, so %q does not count.", phrase.FirstLine(m.Text, 60))
	}
	if w == nil || m.Comment != nil || !m.isAnswer(w) {
		m.answers = nil
		return nil
	}
	m.answers, conv.waiting = w, nil
	w.settle()
	w.turn.state = turnDone
	return nil
}

// isAnswer tells whether a message in the conversation of a question is its answer:
// one that names a way of its own is not, unless that is the way of the request, nor
// is one that quotes what the user has not said.
func (m *Message) isAnswer(w *waiting) bool {
	if m.answers == w || m.retries {
		return true
	}
	return m.slash == "" && !m.Quoted && (m.Mode == "" || m.Mode == "auto" || m.Mode == w.parked.Request.Mode)
}

// isOption tells whether a text is an option of the question that its conversation
// waits with. Such a text is the answer, also when it reads as a command: a model
// wrote it.
func (a *Agent) isOption(m *Message) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := m.Conversation
	if id == "" {
		id = a.current[m.Client]
	}
	conv := a.conversations[id]
	return !m.New && conv != nil && conv.waiting != nil && slices.Contains(conv.waiting.parked.Options, m.Text)
}

// giveUpFor gives up the question of the conversation that a message would have
// gone to.
func (a *Agent) giveUpFor(m *Message) {
	a.mu.Lock()
	id := m.Conversation
	if id == "" {
		id = a.current[m.Client]
	}
	var w *waiting
	if conv := a.conversations[id]; conv != nil {
		w = conv.waiting
	}
	a.mu.Unlock()
	if w != nil {
		a.giveUp(w)
	}
}

// giveUp ends a question without an answer, and tells whether it still waited. What
// was staged before it is gone with it.
func (a *Agent) giveUp(w *waiting) bool {
	if !a.giveUpQuietly(w) {
		return false
	}
	t := w.turn
	a.notify(Event{Kind: TurnFinished, Turn: t.id, Conversation: t.conv.id, Usage: &Usage{}, State: turnCancelled})
	return true
}

// giveUpQuietly is giveUp for who tells it.
func (a *Agent) giveUpQuietly(w *waiting) bool {
	t := w.turn
	a.mu.Lock()
	if t.conv.waiting != w {
		a.mu.Unlock()
		return false
	}
	t.conv.waiting = nil
	w.settle()
	t.state = turnCancelled
	a.snapshot = nil
	id := w.id
	a.mu.Unlock()
	a.noteSaid(t.conv, w.parked.Request.Text, w.parked.asked()+"\n\n(The user gave this question up without an answer, and nothing came of the request.)")
	if err := a.store.Answered(context.WithoutCancel(a.root), id); err != nil {
		a.log.Warn("a question that was given up could not be removed", errorField(err))
		if backlog.MayPass(err) {
			a.backlog.Add(backlog.Record{Stored: "The question is given up for good now.", Store: func(ctx context.Context) error { return a.store.Answered(ctx, id) }},
				"The question is given up, but that cannot be kept yet, because the plan database cannot be written.", err)
		}
	}
	return true
}

// findWaiting brings the session up to the questions that the store has: those of
// an earlier session wait again, and what was answered elsewhere waits no more. first
// says that the session begins.
func (a *Agent) findWaiting(ctx context.Context, first bool) error {
	stored, err := a.store.Questions(ctx, a.workspaceKey())
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	known := map[int64]bool{}
	found := map[string]bool{} // clients whose current conversation is one of these
	for _, q := range stored {
		known[q.ID] = true
		conv := a.conversations[q.Conversation]
		if conv != nil && (conv.waiting != nil && conv.waiting.id == q.ID || conv.running || len(conv.queue) > 0) {
			continue
		}
		p := new(parked)
		if err := json.Unmarshal([]byte(q.Record), p); err != nil {
			a.log.Error("a question could not be read", errorField(err))
			continue
		}
		if conv == nil {
			conv = &conversation{id: q.Conversation}
			a.conversations[conv.id] = conv
			a.takeUp(q.Conversation)
		}
		t := a.newTurn(conv, p.Request.message())
		t.state, t.answer = turnWaiting, p.asked()
		close(t.done)
		close(t.left)
		w := &waiting{turn: t, parked: p, id: q.ID}
		w.over, w.settle = context.WithCancel(a.root)
		t.waits, conv.waiting = w, w
		if client := p.Request.Client; first && (found[client] || a.current[client] == "") {
			a.current[client], found[client] = conv.id, true // who was asked goes on there
		}
	}
	for _, conv := range a.conversations {
		if w := conv.waiting; w != nil && w.id != 0 && !known[w.id] && w.turn.state == turnWaiting {
			conv.waiting = nil
			w.settle()
			w.turn.state = turnDone
			a.snapshot = nil
		}
	}
	return nil
}

// Remind tells, after a start, which turns were cut off, and the questions that
// wait, and has the editor put these.
func (a *Agent) Remind() {
	a.tellCutOff()
	a.mu.Lock()
	var all []*waiting
	for _, t := range a.turns {
		if t.state == turnWaiting && t.conv.waiting == t.waits {
			all = append(all, t.waits)
		}
	}
	a.mu.Unlock()
	for _, w := range all {
		a.tellQuestion(w)
		a.putQuestion(w)
	}
}

// errAnswered is why an answer cannot be worked out any more.
var errAnswered = errors.New("the question was answered elsewhere meanwhile")

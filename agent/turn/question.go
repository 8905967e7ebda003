package turn

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/orchestrator"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/agent/trial"
	"redline/internal/phrase"
)

// parked has all that a turn needs to continue when the user has answered its question. It is
// not a revision: it was not shown, so it has no number and no hash and cannot be approved. A
// plan that the turn revises stays as the user has seen it, and can be decided on. The model's
// messages are not kept, because the texts in them may be out of date by then.
type parked struct {
	Question    string               `json:"question"`
	Options     []string             `json:"options,omitempty"`
	Said        string               `json:"said,omitempty"` // what the model said before the question
	NotRun      []string             `json:"not_run,omitempty"`
	Request     parkedRequest        `json:"request"`
	Route       string               `json:"route"`
	Plan        int                  `json:"plan,omitempty"` // the number of the plan that the turn revises, 0 for none
	Revision    int                  `json:"revision,omitempty"`
	Draft       draft.Parked         `json:"draft"`
	Taken       []string             `json:"taken,omitempty"` // ids of the plan's operations that were taken out
	Steps       []plan.Step          `json:"steps,omitempty"`
	Before      []exchange           `json:"before,omitempty"` // earlier questions of the same request, with their answers
	Trials      []plan.Trial         `json:"trials,omitempty"` // of the request so far
	Specialists *orchestrator.Parked `json:"heap,omitempty"`
}

// exchange is an answered question.
type exchange struct {
	Question string `json:"question"` // with the model's text before it, and the options
	Answer   string `json:"answer"`
}

// parkedRequest is the message that the turn is about, as far as it can be stored.
type parkedRequest struct {
	Text      string        `json:"text"`
	Own       string        `json:"own,omitempty"` // the part in the user's own words
	Mode      string        `json:"mode,omitempty"`
	Goal      string        `json:"goal,omitempty"`
	Path      string        `json:"path,omitempty"`
	Lines     *[2]int       `json:"lines,omitempty"`
	Selection string        `json:"selection,omitempty"`
	Output    string        `json:"output,omitempty"`
	Comment   *chat.Request `json:"comment,omitempty"`
	Comments  []string      `json:"comments,omitempty"`
	Client    string        `json:"client,omitempty"`
	WhenAsked string        `json:"when_asked,omitempty"` // see [conversation.Request]
}

func parkRequest(m *conversation.Request, goal string) parkedRequest {
	return parkedRequest{
		Text: m.Text, Own: m.Own(), Mode: m.Mode, Goal: goal,
		Path: m.Path, Lines: m.Lines, Selection: m.Selection, Output: m.Output, Comment: m.Comment, WhenAsked: m.TextWhenAsked,
		Comments: m.Comments, Client: m.Client,
	}
}

// request returns the message as a request.
func (r *parkedRequest) request() conversation.Request {
	return conversation.Request{
		Message: conversation.Message{
			Text: r.Text, Mode: r.Mode, Path: r.Path, Lines: r.Lines, Selection: r.Selection, Output: r.Output, Comment: r.Comment, Client: r.Client,
		},
		Typed: &r.Own, Goal: r.Goal, TextWhenAsked: r.WhenAsked, Comments: r.Comments,
	}
}

// asked returns the question as the user sees it: the model's text before it, then the question,
// then the options as a list.
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

// park ends a turn with the question that its model asks. The staged operations are kept, and
// the conversation waits for the answer.
func (w *work) park(ctx context.Context, q *tool.Question) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p := &parked{
		Question: q.Text, Options: q.Options, Said: w.outcome.Text, Steps: w.turn.steps,
	}
	for _, c := range w.outcome.NotRun {
		p.NotRun = append(p.NotRun, strings.TrimSpace(phrase.FirstLine(c.Name, 64)+" "+conversation.CallSummary(c)))
	}
	return w.parkAs(ctx, p)
}

// parkAs fills in the fields that every turn keeps, and puts the question to the user.
func (w *work) parkAs(ctx context.Context, p *parked) error {
	p.Route, p.Request, p.Taken = w.route, parkRequest(&w.turn.request, goalOf(w.turn)), w.revising.taken
	p.Trials = w.turn.tried.trials()
	if !w.turn.Result().AskedEach { // otherwise its operations are in the plan already
		p.Draft = w.env.Draft.Park()
	}
	if c := w.turn.continued; c != nil {
		p.Request, p.Before = c.parked.Request, c.exchanges()
		p.Request.Own = *c.request.Typed
	}
	if h := w.revising.plan; h != nil {
		p.Plan, p.Revision = h.Plan().Number, h.Plan().Current
	}
	record, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := w.Conversations.Ask(ctx, w.turn.Turn, p.question(string(record))); err != nil {
		return err
	}
	if c := w.turn.continued; c != nil {
		c.asked.Replaced()
		c.ended = true
	}
	return nil
}

// question returns the record as the conversation keeps it.
func (p *parked) question(record string) conversation.Question {
	return conversation.Question{Text: p.Question, Options: p.Options, Shown: p.asked(), Request: p.Request.request(), Record: record}
}

// readParked reads a stored record.
func readParked(record string) (*parked, error) {
	p := new(parked)
	if err := json.Unmarshal([]byte(record), p); err != nil {
		return nil, err
	}
	return p, nil
}

// ReadQuestion reads the question of a stored record.
func (*Turns) ReadQuestion(record string) (conversation.Question, error) {
	p, err := readParked(record)
	if err != nil {
		return conversation.Question{}, err
	}
	return p.question(record), nil
}

// continuation is a turn that continues after a question. The turn's message is the answer; its
// request is that of the turn that asked.
type continuation struct {
	asked   *conversation.Waiting // the question
	id      int64                 // of the question in the store, 0 for none
	parked  *parked
	request conversation.Request // of the turn that asked, with what the user has said since
	answer  string
	lost    []string // a sentence for each operation that could not be staged again
	ended   bool     // the question will not be asked again
}

// continueTurn runs a turn whose message answers a question: it continues the turn that asked.
func (w *work) continueTurn(ctx context.Context) error {
	t := w.turn
	asked := t.Request.Answers
	err := asked.Begin(ctx)
	c := &continuation{asked: asked, id: asked.ID(), answer: t.request.Text, ended: errors.Is(err, conversation.ErrAnswered)}
	defer c.end(t)
	if err == nil {
		c.parked, err = readParked(asked.Question.Record)
	}
	if err != nil {
		return err
	}
	c.request = c.parked.Request.request()
	if err := w.recollect(ctx); err != nil {
		return err
	}
	own := strings.TrimSpace(*c.request.Typed + "\n" + t.request.Own())
	c.request.Typed = &own
	m := &t.request // the rest of the turn is about the request
	m.Mode, m.Goal, m.Comment, m.TextWhenAsked = c.request.Mode, c.request.Goal, c.request.Comment, c.request.TextWhenAsked
	m.Path, m.Lines, m.Selection, m.Output = c.request.Path, c.request.Lines, c.request.Selection, c.request.Output
	m.Typed, m.Revise, m.Comments = &own, c.parked.Plan, c.request.Comments
	t.steps, t.continued, t.about = c.parked.Steps, c, w.revisions.planMeant(t)
	for _, earlier := range c.parked.Trials {
		t.tried.add(&trial.Result{Trial: earlier})
	}
	w.route = c.parked.Route
	t.Notify(state.Event{Kind: state.Routed, Route: w.route, By: byAnswer, Reason: "it answers a question"})
	if err := w.takeAgent(); err != nil {
		return err
	}
	handle, ok := routeHandlers[w.route]
	if !ok {
		return plan.Refuse(plan.Invalid, "The question is of a way that this version does not have: send the request again.")
	}
	return handle(ctx, w)
}

// end removes the question if the answer led to a result or the user gave up on it. Otherwise
// the question waits again, with all that was staged before it.
func (c *continuation) end(t *turn) {
	if c.ended {
		return
	}
	if r := t.Result(); r.Plan != 0 || r.Remembered || t.Cancelled() { // it has made a revision or has answered
		c.asked.Done()
		return
	}
	c.asked.WaitAgain(t.Turn)
}

// exchanges returns the questions of the request so far, with their answers.
func (c *continuation) exchanges() []exchange {
	return append(slices.Clip(c.parked.Before), exchange{Question: c.parked.asked(), Answer: c.answer})
}

// maxQuestions is how many questions one request may lead to.
const maxQuestions = 10

// said returns the messages that replace the user's message: the request, then each question
// with its answer.
func (c *continuation) said(request model.Message) []model.Message {
	messages := []model.Message{request}
	for _, e := range c.exchanges() {
		messages = append(messages,
			model.Message{Role: model.RoleAssistant, Content: e.Question},
			model.Message{Role: model.RoleUser, Content: e.Answer})
	}
	return messages
}

// about tells the model how to continue, and which operations are staged so far.
func (c *continuation) about(prompt, staged string) string {
	var b strings.Builder
	b.WriteString(prompt)
	if staged != "" {
		b.WriteString("\nStaged so far:\n" + staged)
	}
	if len(c.parked.NotRun) > 0 {
		b.WriteString("\nNot run, since these calls came after the question: " + strings.Join(c.parked.NotRun, "; ") + ".\n")
	}
	if len(c.lost) > 0 {
		b.WriteString("\nNot staged any more: " + strings.Join(c.lost, " ") + "\n")
	}
	return b.String()
}

package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/event"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/internal/phrase"
)

// continuation is a turn that continues after a question: its message is the answer, its
// request the one of the turn that asked.
type continuation struct {
	asked   *conversation.Answering
	parked  *parked
	request conversation.Request // the one that asked, with what the user has said since
	answer  string
	names   []string // by which the model knows the turn's operations, in order
	last    int      // the last name is n followed by this number
	lost    []string // a sentence for each operation that could not be staged again
	ended   bool     // the question is answered for good
}

// continueTurn runs a turn whose message answers a question: the turn that asked continues.
func (ts *Turns) continueTurn(ctx context.Context, t *turn) error {
	asked, err := ts.Conversations.Answer(ctx, t.Turn)
	c := &continuation{asked: asked, answer: t.request.Text, ended: errors.Is(err, conversation.ErrAnswered)}
	defer ts.endContinuation(c, t)
	if err == nil {
		c.parked, err = readParked(t.Request.Answers.Question.Record)
	}
	if err != nil {
		return err
	}
	c.request = c.parked.Request.request()
	t.Conversation.Memory.Recollect(ctx)
	own := strings.TrimSpace(*c.request.Typed + "\n" + t.request.Own())
	c.request.Typed = &own
	m := &t.request // the rest of the turn is about the request
	m.Mode, m.Goal, m.Comment, m.TextWhenAsked = c.request.Mode, c.request.Goal, c.request.Comment, c.request.TextWhenAsked
	m.Path, m.Lines, m.Selection = c.request.Path, c.request.Lines, c.request.Selection
	m.Typed, m.Revise = &own, c.parked.Plan
	t.steps, t.continued = c.parked.Steps, c
	w := &work{Turns: ts, turn: t, route: c.parked.Route}
	e := t.Event(event.Routed)
	e.Route, e.By, e.Reason = w.route, byAnswer, "it answers a question"
	ts.notify(e)
	handle, ok := routeHandlers[w.route]
	if !ok {
		return refusal.New(refusal.Invalid, "The question is of a way that this version does not have: send the request again.")
	}
	return handle(ctx, w)
}

// endContinuation removes the question if the answer led to a result or was given up. Otherwise
// the question waits again, with all that was staged before it.
func (ts *Turns) endContinuation(c *continuation, t *turn) {
	if c.ended {
		return
	}
	if r := t.Result(); r.Plan != 0 || r.Remembered || t.Cancelled() { // it has made a revision, or has answered
		c.asked.Done()
		return
	}
	c.asked.WaitAgain(t.Turn)
}

// answered returns the id of the stored question that the turn's result answers, if there is
// one.
func (t *turn) answered() []int64 {
	if t.continued == nil || t.continued.asked.ID == 0 {
		return nil
	}
	return []int64{t.continued.asked.ID}
}

// exchanges returns the questions of the request so far, with their answers.
func (c *continuation) exchanges() []exchange {
	return append(slices.Clip(c.parked.Before), exchange{Question: c.parked.asked(), Answer: c.answer})
}

// maxQuestions is how often one request may ask.
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

// system returns the addition to the system prompt: how to continue, and the operations staged
// so far.
func (c *continuation) system(prompt string, staged []plan.Operation) string {
	var b strings.Builder
	b.WriteString(prompt)
	if len(staged) > 0 {
		b.WriteString("\nStaged so far:\n")
		c.list(&b, staged)
	}
	if len(c.parked.NotRun) > 0 {
		b.WriteString("\nNot run, since these calls came after the question: " + strings.Join(c.parked.NotRun, "; ") + ".\n")
	}
	if len(c.lost) > 0 {
		b.WriteString("\nNot staged any more: " + strings.Join(c.lost, " ") + "\n")
	}
	return b.String()
}

// Bounds of the listed operations, in bytes.
const (
	maxShownArgs = 2 << 10
	maxShownAll  = 24 << 10
)

// list writes a line for each operation, with its arguments.
func (c *continuation) list(b *strings.Builder, staged []plan.Operation) {
	for len(c.names) < len(staged) {
		c.last++
		c.names = append(c.names, "n"+strconv.Itoa(c.last))
	}
	for i, o := range staged {
		arguments := phrase.StartBytes(string(o.Args), maxShownArgs)
		if b.Len() > maxShownAll {
			arguments = "…"
		}
		fmt.Fprintf(b, "- %s: %s %s\n", c.names[i], o.Tool, arguments)
	}
}

// continueDraft restores the draft of a turn that continues, on the files and the plan as they
// are now. It reports operations that cannot be staged any more to the model and the user.
func (w *work) continueDraft(ctx context.Context) (*draft.Draft, error) {
	c, h := w.turn.continued, w.revised
	c.names, c.last = nil, 0
	same := c.parked.Plan == 0
	if h != nil {
		same = c.parked.Plan == h.Plan().Number && c.parked.Revision == h.Plan().Current
	}
	if !same { // the plan has changed since the question
		d, err := w.revisions.draftFor(ctx, w.ws, h)
		if err == nil {
			upon := "the files as they are now"
			if h != nil {
				upon = uponRevision(h.Plan())
			}
			w.before = len(d.Operations())
			c.lost = w.revisions.stageAgain(ctx, w.turn, d, c.parked.Plan, upon, c.parked.Draft.Operations)
			d.Refuse(c.parked.Draft.Refused...)
		}
		return d, err
	}
	d, lost, err := w.revisions.unpark(ctx, h, c.parked.Draft)
	if err != nil {
		return nil, err
	}
	for _, l := range lost {
		text := fmt.Sprintf("%s could not be staged again: %s.", strings.TrimSpace(l.Operation.Tool+" "+l.Path), phrase.TrimStop(strings.TrimPrefix(l.Why, "error: ")))
		c.lost = append(c.lost, text)
		w.turn.Warn(text)
	}
	w.before = len(d.Operations()) - len(d.News())
	return d, nil
}

package turn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/toolset"
	"redline/agent/trial"
	"redline/internal/phrase"
)

// continuation is a turn that continues after a question. The turn's message is the answer; its
// request is that of the turn that asked.
type continuation struct {
	asked   *conversation.Answering
	parked  *parked
	request conversation.Request // of the turn that asked, with what the user has said since
	answer  string
	lost    []string // a sentence for each operation that could not be staged again
	ended   bool     // the question will not be asked again
}

// continueTurn runs a turn whose message answers a question: it continues the turn that asked.
func (w *work) continueTurn(ctx context.Context) error {
	t := w.turn
	asked, err := w.Conversations.Answer(ctx, t.Turn)
	c := &continuation{asked: asked, answer: t.request.Text, ended: errors.Is(err, conversation.ErrAnswered)}
	defer c.end(t)
	if err == nil {
		c.parked, err = readParked(t.Request.Answers.Question.Record)
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
	m.Typed, m.Revise = &own, c.parked.Plan
	t.steps, t.continued = c.parked.Steps, c
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

// continueDraft restores the draft of a turn that continues, on the current files and plan. It
// reports operations that can no longer be staged to the model and the user.
func (w *work) continueDraft(ctx context.Context) (*draft.Draft, error) {
	c, h := w.turn.continued, w.revised
	w.labels, w.taken = labels{}, nil
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
	w.taken = c.parked.Taken
	begun, err := w.planWithout(ctx, nil)
	if err != nil {
		return nil, err
	}
	d, lost, err := draft.Unpark(w.ws, c.parked.Draft, begun, toolset.Replay(ctx, w.ws))
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

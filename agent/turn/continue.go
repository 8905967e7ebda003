package turn

import (
	"cmp"
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
	t.Conversation.Memory.Recollect(ctx)
	own := strings.TrimSpace(*c.request.Typed + "\n" + t.request.Own())
	c.request.Typed = &own
	m := &t.request // the rest of the turn is about the request
	m.Mode, m.Goal, m.Comment, m.TextWhenAsked = c.request.Mode, c.request.Goal, c.request.Comment, c.request.TextWhenAsked
	m.Path, m.Lines, m.Selection = c.request.Path, c.request.Lines, c.request.Selection
	m.Typed, m.Revise = &own, c.parked.Plan
	t.steps, t.continued = c.parked.Steps, c
	w.route = c.parked.Route
	t.Notify(event.Event{Kind: event.Routed, Route: w.route, By: byAnswer, Reason: "it answers a question"})
	handle, ok := routeHandlers[w.route]
	if !ok {
		return refusal.New(refusal.Invalid, "The question is of a way that this version does not have: send the request again.")
	}
	return handle(ctx, w)
}

// end removes the question if the answer led to a result or was given up. Otherwise
// the question waits again, with all that was staged before it.
func (c *continuation) end(t *turn) {
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

// staged lists the operations of the turn in a draft.
func (c *continuation) staged(d *draft.Draft) string {
	var b strings.Builder
	c.list(&b, d.News())
	return cmp.Or(b.String(), "(nothing)")
}

// TakeOut makes the draft again without the named operations of the turn. Its error is for the
// model to read.
func (w *work) TakeOut(ctx context.Context, from *draft.Draft, names []string) (*draft.Draft, error) {
	c := w.turn.continued
	listed := c.staged(from) // it gives names to operations that were staged since
	for _, name := range names {
		if !slices.Contains(c.names, name) {
			return nil, fmt.Errorf("nothing of this request is staged as %q; staged are:\n%s", name, listed)
		}
	}
	next := from.Park()
	var stays []plan.Operation
	var left []string
	for i, o := range next.Operations {
		if !slices.Contains(names, c.names[i]) {
			stays, left = append(stays, o), append(left, c.names[i])
		}
	}
	if name := dependsOn(next.Operations, c.names, names); name != "" {
		return nil, fmt.Errorf("%s was staged after it in the same file and may rest on it; take %s out too, then stage again what is wanted of it", name, name)
	}
	next.Operations = stays
	d, lost, err := w.revisions.unpark(ctx, w.revised, next)
	if err != nil {
		return nil, err
	}
	if len(lost) > 0 {
		return nil, fmt.Errorf("%s cannot stay without it: %s", strings.TrimSpace(lost[0].Operation.Tool+" "+lost[0].Path), lost[0].Why)
	}
	d.ContinueFrom(from)
	c.names = left
	return d, nil
}

// dependsOn returns the name of an operation that may depend on one in gone, "" for none: it
// stays, and was staged later in the same file, so its place was found in that text.
func dependsOn(operations []plan.Operation, names, gone []string) string {
	touched, all := map[string]bool{}, false
	for i, o := range operations {
		goes := slices.Contains(gone, names[i])
		switch {
		case o.IsCommand():
		case goes && (o.Path == "" || o.Tool == "rename_file"):
			all = true // it is about several files
		case goes:
			touched[o.Path] = true
		case all || touched[o.Path] || o.Path == "" && len(touched) > 0:
			return names[i]
		}
	}
	return ""
}

package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/internal/phrase"
)

// continuation is a turn that goes on after a question: its message is the answer,
// its request that of the turn which has asked.
type continuation struct {
	id      int64 // of the question in the store, 0 for none
	wait    *waiting
	parked  *parked
	request Message // as it was, with what the user's own words are by now
	answer  string
	names   []string // of the operations that the turn has staged, in order, for its model
	last    int      // the last name given out was n followed by this number
	lost    []string // what could not be staged again, a sentence each
	ended   bool     // the question is answered for good
}

// goOn runs a turn whose message answers a question: it is the turn that has asked,
// which goes on.
func (a *Agent) goOn(ctx context.Context, t *turn) error {
	wait := t.message.answers
	c := &continuation{id: wait.id, wait: wait, parked: wait.parked, answer: t.message.Text, request: wait.parked.Request.message()}
	defer a.endContinuation(c, t)
	if c.id != 0 {
		ok, err := a.store.Answering(ctx, c.id)
		if err == nil && !ok {
			err = errAnswered
		}
		if err != nil {
			c.ended = errors.Is(err, errAnswered)
			return err
		}
	}
	a.recollect(ctx, t.conv)
	own := strings.TrimSpace(*c.request.typed + "\n" + t.message.own())
	c.request.typed = &own
	m := &t.message
	a.update(func() { // the rest of the turn is about the request
		m.Mode, m.goal, m.Comment, m.textWhenAsked = c.request.Mode, c.request.goal, c.request.Comment, c.request.textWhenAsked
		m.Path, m.Lines, m.Selection = c.request.Path, c.request.Lines, c.request.Selection
		m.typed, m.revise = &own, c.parked.Plan
		t.steps, t.continued = c.parked.Steps, c
	})
	w := &work{turn: t, route: c.parked.Route, continued: c}
	a.notify(Event{Kind: Routed, Turn: t.id, Conversation: t.conv.id, Route: w.route, By: byAnswer, Reason: "it answers a question"})
	way, ok := ways[w.route]
	if !ok {
		return refuse(Invalid, "The question is of a way that this version does not have: send the request again.")
	}
	return way(a, ctx, w)
}

// endContinuation settles the question when the answer was worked out, or given up;
// otherwise it waits again, with all that was staged before it.
func (a *Agent) endContinuation(c *continuation, t *turn) {
	if c.ended {
		return
	}
	a.mu.Lock()
	done := c.concluded(t) || t.ctx.Err() != nil && a.root.Err() == nil
	a.mu.Unlock()
	if !done {
		if c.id != 0 {
			a.store.Unanswered(c.id)
		}
		a.waitAgain(c, t)
		return
	}
	if err := a.store.Answered(context.WithoutCancel(a.root), c.id); err != nil {
		a.log.Warn("a question that was answered could not be removed", errorField(err))
	}
}

// concluded tells whether the turn has come to its end: it has made a revision, or
// has answered. The caller holds a.mu.
func (c *continuation) concluded(t *turn) bool { return t.plan != 0 || t.remembered }

// waitAgain has a question wait once more, whose answer could not be worked out.
func (a *Agent) waitAgain(c *continuation, t *turn) {
	w := &waiting{turn: c.wait.turn, parked: c.parked, id: c.id}
	w.over, w.settle = context.WithCancel(a.root)
	again := false
	a.update(func() {
		if again = t.conv.waiting == nil; again {
			t.conv.waiting, w.turn.waits, w.turn.state = w, w, turnWaiting
		}
	})
	if again && a.root.Err() == nil {
		a.notify(Event{Kind: Noticed, Turn: t.id, Conversation: t.conv.id, Text: "The question waits again, and what was staged before it is kept: answer it once more, or give it up with /cancel."})
	}
}

// answered is the question in the store that what comes of the turn answers.
func (t *turn) answered() []int64 {
	if t.continued == nil || t.continued.id == 0 {
		return nil
	}
	return []int64{t.continued.id}
}

// exchanges are the questions of the request so far, with their answers.
func (c *continuation) exchanges() []exchange {
	return append(slices.Clip(c.parked.Before), exchange{Question: c.parked.asked(), Answer: c.answer})
}

// maxQuestions is how often one request may ask.
const maxQuestions = 10

// said is what the model is sent instead of the user's message alone: the request,
// and each question with its answer.
func (c *continuation) said(request model.Message) []model.Message {
	messages := []model.Message{request}
	for _, e := range c.exchanges() {
		messages = append(messages,
			model.Message{Role: model.RoleAssistant, Content: e.Question},
			model.Message{Role: model.RoleUser, Content: e.Answer})
	}
	return messages
}

// system is what the model is told besides: how to go on, and what is staged.
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

// Bounds of what is shown of staged operations, in bytes.
const (
	maxShownArgs = 2 << 10
	maxShownAll  = 24 << 10
)

// list names operations, each with what it does.
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

// continueDraft makes the draft of a turn again that goes on: on the files as they
// are now, and upon the plan as it is now. What of it is not possible any more is
// told to the model and the user.
func (a *Agent) continueDraft(ctx context.Context, w *work) (*draft.Draft, error) {
	c, h := w.continued, w.revised
	c.names, c.last = nil, 0
	same := c.parked.Plan == 0
	if h != nil {
		a.mu.Lock()
		same = c.parked.Plan == h.plan.Number && c.parked.Revision == h.plan.Current
		a.mu.Unlock()
	}
	if !same { // it goes on upon something else than what it was staged upon
		d, err := a.draftFor(ctx, h)
		if err == nil {
			upon := "the files as they are now"
			if h != nil {
				a.mu.Lock()
				upon = uponRevision(h.plan)
				a.mu.Unlock()
			}
			w.before = len(d.Operations())
			c.lost = a.stageAgain(ctx, w.turn, d, c.parked.Plan, upon, c.parked.Draft.Operations)
			d.Refuse(c.parked.Draft.Refused...)
		}
		return d, err
	}
	d, lost, err := a.unpark(ctx, h, c.parked.Draft)
	if err != nil {
		return nil, err
	}
	for _, l := range lost {
		text := fmt.Sprintf("%s could not be staged again: %s.", strings.TrimSpace(l.Operation.Tool+" "+l.Path), phrase.TrimStop(strings.TrimPrefix(l.Why, "error: ")))
		c.lost = append(c.lost, text)
		a.notify(Event{Kind: Noticed, Turn: w.turn.id, Conversation: w.turn.conv.id, Error: text})
	}
	w.before = len(d.Operations()) - len(d.News())
	return d, nil
}

// unpark makes a draft of what was parked, upon the plan that it revises, nil for
// none.
func (a *Agent) unpark(ctx context.Context, h *heldPlan, p draft.Parked) (*draft.Draft, []draft.Lost, error) {
	begin := func(w draft.Reader) (*draft.Draft, error) { return draft.New(w), nil }
	if h != nil {
		a.mu.Lock()
		revised := h.plan
		a.mu.Unlock()
		begin = func(w draft.Reader) (*draft.Draft, error) {
			return draft.Resume(w, revised, func(b plan.Blob) (string, error) { return a.store.Text(ctx, b) })
		}
	}
	return draft.Unpark(a.ws, p, begin, a.replay(ctx))
}

// unstaging offers the tool that takes out what was staged before the question, and
// after it.
func (a *Agent) unstaging(ctx context.Context, w *work, env *tool.Env, tools []tool.Tool) []tool.Tool {
	c := w.continued
	if c == nil {
		return tools
	}
	return append(slices.Clip(tools), tool.Unstage(func(names []string) (string, error) {
		d, err := a.takeOut(ctx, w, env.Draft, names)
		if err != nil {
			return "", err
		}
		env.Draft, w.draft = d, d
		return "taken out; staged are now:\n" + c.staged(d), nil
	}))
}

// staged lists what a draft has of the turn.
func (c *continuation) staged(d *draft.Draft) string {
	var b strings.Builder
	c.list(&b, d.News())
	return cmp.Or(b.String(), "(nothing)")
}

// takeOut makes the draft once more without the named operations of the turn. The
// error is one for the model.
func (a *Agent) takeOut(ctx context.Context, w *work, from *draft.Draft, names []string) (*draft.Draft, error) {
	c := w.continued
	listed := c.staged(from) // those that were staged since have names then
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
	d, lost, err := a.unpark(ctx, w.revised, next)
	if err != nil {
		return nil, err
	}
	if len(lost) > 0 {
		return nil, fmt.Errorf("%s cannot stay without it: %s", strings.TrimSpace(lost[0].Operation.Tool+" "+lost[0].Path), lost[0].Why)
	}
	d.GoOn(from)
	c.names = left
	return d, nil
}

// dependsOn returns the name of an operation that stays and comes after one that
// goes in a file of it, "" for none: where its edit belongs was found in the text
// with that.
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

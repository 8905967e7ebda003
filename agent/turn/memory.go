package turn

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/recall"
	"redline/internal/phrase"
)

// remember adds the turn's messages and its answer to the memory of its conversation.
func (w *work) remember(answer string) {
	t := w.turn
	t.Update(func(r *conversation.Result) { r.Answer, r.Remembered = answer, true })
	if c := t.continued; c != nil {
		asked := c.request.Text
		for _, e := range c.exchanges() {
			t.Conversation.Memory.Remember(asked, e.Question)
			asked = e.Answer
		}
	}
	t.Conversation.Memory.Remember(t.request.Text, answer)
}

// Bounds of a request for a summary.
const (
	summaryWithin   = 30 * time.Second // the user waits for it
	maxSummary      = 1000             // tokens; a model that thinks aloud first needs most of them
	maxSummaryInput = 4 << 10          // bytes of each message
)

// makeRoom makes a conversation's memory fit its budget. A model summarises older exchanges; if
// that fails or is switched off, they are shortened. It keeps the result, so this happens once,
// and tells the user.
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
// it, or the model fails.
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

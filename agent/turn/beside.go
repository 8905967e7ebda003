package turn

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.uber.org/zap"

	"redline/agent/chat"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/model"
	"redline/agent/recall"
	"redline/agent/state"
	"redline/agent/trace"
	"redline/internal/phrase"
)

// beside makes the small requests to models beside a turn's own work: what a message wants, which
// files a plan will change, a summary. If the model fails, rules decide.
type beside struct {
	ts   *Turns
	turn *turn
}

func (w *work) beside() beside { return beside{w.Turns, w.turn} }

// spent is what a turn has spent on models.
type spent struct {
	work   model.Usage // of its own work
	beside model.Usage // of other requests
}

// charge sets the usage of the turn's own work so far.
func (t *turn) charge(work model.Usage) {
	t.spent.work = work
	t.Update(func(r *conversation.Result) { r.Usage = asUsage(t.spent.beside.Plus(work)) })
}

// chargeBeside adds the usage of another request.
func (t *turn) chargeBeside(u model.Usage) {
	t.spent.beside = t.spent.beside.Plus(u)
	t.charge(t.spent.work)
}

// asUsage returns a model's usage in the form that clients see.
func asUsage(u model.Usage) state.Usage {
	return state.Usage{Prompt: u.Prompt, Completion: u.Completion, Cost: u.Cost}
}

// ask asks a model for one JSON reply about a text, with the named prompt, and adds the
// tokens to the turn's usage. The reply is not shown. If the provider does not support schemas,
// package model asks without one; the prompt describes the schema too. The caller must check the
// reply.
func (b beside) ask(ctx context.Context, p model.Provider, prompt, text string, tokens int, schema *model.Schema) (string, error) {
	reply, err := p.Complete(ctx, model.Request{MaxTokens: tokens, Schema: schema, Temperature: new(float64), Messages: []model.Message{
		{Role: model.RoleSystem, Content: b.ts.prompt(prompt)},
		{Role: model.RoleUser, Content: text},
	}}, nil)
	b.turn.chargeBeside(reply.Usage)
	if err == nil && reply.IsCut() {
		return "", errors.New("the reply was cut")
	}
	return reply.Text, err
}

// classifyWithin is how long a model may take to classify a message, for which the user waits.
// It is longer than all retries of a provider that cannot be reached, so a turn waits for such a
// provider once.
const classifyWithin = 12 * time.Second

// maxClassification limits a model's classification, in tokens. A model that thinks first needs
// most of them.
const maxClassification = 1000

// classify finds out what a message wants. A phrase that approves needs no model, and no model's
// reply counts as one. If the model fails, keyword rules decide. They also decide for the
// built-in model, which cannot classify. Once a model was asked, the plans are up to date again: it
// takes seconds, in which another process may decide. The error is the store's.
func (b beside) classify(ctx context.Context, in chat.Situation, byTheRules routing) (routing, error) {
	text := b.turn.request.Text
	if byTheRules.flags.Proceed || b.ts.settings.Classify != config.ClassifyByModel || b.ts.builtin() {
		return byTheRules, nil
	}
	within, cancel := context.WithTimeout(ctx, b.ts.classifyWithin)
	defer cancel()
	reply, err := b.ask(within, model.For(b.ts.Model, model.Classifying), "classify", chat.IntentMessage(text, in),
		maxClassification, &model.Schema{Name: "classification", JSON: chat.IntentSchema})
	if err := b.ts.Board.Follower.Refresh(ctx); err != nil {
		return routing{}, err
	}
	if err == nil {
		var said state.Intent
		var why string
		if said, why, err = chat.ParseIntent(reply); err == nil {
			if why == "" {
				why = "the model says " + said.String()
			}
			return routing{by: byModel, reason: why, flags: &said}, nil
		}
	}
	if failed, ok := errors.AsType[*model.Error](err); ok && outOfReach(failed.Kind) {
		byTheRules.down = failed
	}
	b.ts.log.Info("the message was classified by rules, because the model could not", zap.String("turn", b.turn.ID), zap.Error(err))
	b.turn.Record(trace.Step{Kind: trace.Fallback, Name: trace.ByRules, Summary: "rules classified the message", Error: phrase.SentenceOf(err)})
	byTheRules.reason += " (the model could not classify it)"
	return byTheRules, nil
}

// outOfReach reports whether a failure would repeat for every request to the provider.
func outOfReach(k model.Kind) bool {
	return k == model.KindUnreachable || k == model.KindMisconfigured || k == model.KindUnauthorized
}

// Bounds of a request for a summary.
const (
	summaryWithin   = 30 * time.Second // the user waits for it
	maxSummary      = 1000             // tokens; a model that thinks first needs most of them
	maxSummaryInput = 4 << 10          // bytes of each message
)

// summary has a model summarise the n oldest exchanges. It returns "" if there is no model for
// it or the model fails.
func (b beside) summary(ctx context.Context, m recall.Memory, n int) string {
	if b.ts.settings.Summaries == config.SummariesOff || b.ts.builtin() {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, summaryWithin)
	defer cancel()
	reply, err := model.For(b.ts.Model, model.Summarising).Complete(ctx, model.Request{
		MaxTokens: maxSummary,
		Messages: []model.Message{
			{Role: model.RoleSystem, Content: b.ts.prompt("summary")},
			{Role: model.RoleUser, Content: m.Transcript(n, maxSummaryInput)},
		},
	}, nil)
	b.turn.chargeBeside(reply.Usage)
	if err != nil {
		b.ts.log.Info("what was said could not be summarised by the model", zap.Error(err))
		return ""
	}
	return strings.TrimSpace(reply.Text)
}

// Bounds of the request that finds the files of a plan in words.
const (
	predictWithin = 20 * time.Second
	maxPrediction = 2000 // tokens
)

// predict returns the workspace paths that a plan in words is expected to change, in order,
// possibly none. A model lists them; if it fails, predict takes the paths in the text.
func (b beside) predict(ctx context.Context, description string) []string {
	known := func(path string) bool {
		clean, err := b.ts.ws.Clean(path)
		if err != nil {
			return false
		}
		exists, _, err := b.ts.ws.Stat(clean)
		return err == nil && exists
	}
	var paths []string
	var err error
	if !b.ts.builtin() {
		if paths, err = b.listFiles(ctx, description); err != nil {
			b.ts.log.Info("the files of a plan in words were found by its words, because the model could not list them", zap.String("turn", b.turn.ID), zap.Error(err))
			b.turn.Record(trace.Step{Kind: trace.Fallback, Name: trace.ByForm, Summary: "the files were found by their form", Error: phrase.SentenceOf(err)})
		}
	}
	if b.ts.builtin() || err != nil {
		paths = chat.PredictFromWords(description, known)
	}
	return append([]string{}, chat.CleanPredicted(paths, b.ts.ws.Clean)...)
}

// listFiles has a model list the files that a plan in words will change.
func (b beside) listFiles(ctx context.Context, description string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, predictWithin)
	defer cancel()
	reply, err := b.ask(ctx, b.ts.Model, "predict", description, maxPrediction, &model.Schema{Name: "files", JSON: chat.PredictSchema})
	if err != nil {
		return nil, err
	}
	return chat.ParsePredicted(reply)
}

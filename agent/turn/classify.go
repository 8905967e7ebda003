package turn

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"redline/agent/config"
	"redline/agent/intent"
	"redline/agent/model"
)

// classifyWithin bounds how long a model may take to classify a message: the user waits for
// it. It is longer than the retries of a provider that cannot be reached, so a turn waits for
// such a provider once.
const classifyWithin = 12 * time.Second

// maxClassification bounds a model's classification, in tokens. A model that thinks aloud
// first needs most of them.
const maxClassification = 1000

// classify finds out what a message wants. A phrase that approves needs no model, and no
// model's reply counts as one. If the model fails, the rules decide, as they do for the built-in
// model, which cannot classify.
func (w *work) classify(ctx context.Context, in intent.Situation) routing {
	text := w.turn.request.Text
	flags, why := intent.Rules(text)
	byTheRules := routing{by: byRules, reason: why, flags: &flags}
	if flags.Proceed || w.settings.Classify != config.ClassifyByModel || w.builtin() {
		return byTheRules
	}
	ctx, cancel := context.WithTimeout(ctx, w.classifyWithin)
	defer cancel()
	reply, err := w.structured(ctx, model.For(w.Model, model.Classifying), model.Request{
		MaxTokens: maxClassification, Schema: &model.Schema{Name: "classification", JSON: intent.Schema},
		Messages: []model.Message{
			{Role: model.RoleSystem, Content: w.prompt("classify")},
			{Role: model.RoleUser, Content: intent.Message(text, in)},
		},
	})
	if err == nil {
		var said intent.Flags
		if said, why, err = intent.Parse(reply); err == nil {
			if why == "" {
				why = "the model says " + said.String()
			}
			return routing{by: byModel, reason: why, flags: &said}
		}
	}
	if failed, ok := errors.AsType[*model.Error](err); ok && outOfReach(failed.Kind) {
		byTheRules.down = failed
	}
	w.log.Info("the message was classified by rules, because the model could not", zap.String("turn", w.turn.ID), zap.Error(err))
	byTheRules.reason += " (the model could not classify it)"
	return byTheRules
}

// outOfReach reports whether a failure would repeat for every request to the provider.
func outOfReach(k model.Kind) bool {
	return k == model.KindUnreachable || k == model.KindMisconfigured || k == model.KindUnauthorized
}

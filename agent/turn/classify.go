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
// model's reply counts as one. If the model fails, the rules decide.
func (r *router) classify(ctx context.Context, t *turn, in intent.Situation, ask askModel) routing {
	text := t.request.Text
	flags, why := intent.Rules(text)
	byTheRules := routing{by: byRules, reason: why, flags: &flags}
	p, ok := r.classifier()
	if flags.Proceed || !ok {
		return byTheRules
	}
	ctx, cancel := context.WithTimeout(ctx, r.classifyWithin)
	defer cancel()
	reply, err := ask(ctx, p, model.Request{
		MaxTokens: maxClassification, Schema: &model.Schema{Name: "classification", JSON: intent.Schema},
		Messages: []model.Message{
			{Role: model.RoleSystem, Content: r.texts.prompt("classify")},
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
	r.session.Log.Info("the message was classified by rules, because the model could not", zap.String("turn", t.ID), zap.Error(err))
	byTheRules.reason += " (the model could not classify it)"
	return byTheRules
}

// outOfReach reports whether a failure would repeat for every request to the provider.
func outOfReach(k model.Kind) bool {
	return k == model.KindUnreachable || k == model.KindMisconfigured || k == model.KindUnauthorized
}

// classifier returns the model that classifies messages. ok is false if rules do. The built-in
// model cannot classify.
func (r *router) classifier() (p model.Provider, ok bool) {
	if r.classifyBy != config.ClassifyByModel || r.model.Info().Provider == "builtin" {
		return nil, false
	}
	return model.For(r.model, model.Classifying), true
}

package turn

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"redline/agent/model"
	"redline/agent/predict"
)

// Bounds of the request that finds the files of a plan in words.
const (
	predictWithin = 20 * time.Second
	maxPrediction = 2000 // tokens
)

// errNotAsked is returned for a model that cannot list files.
var errNotAsked = errors.New("the built-in model is not asked")

// predict returns the workspace paths that a plan in words is expected to change, in order. A
// model lists them; if it fails, the paths in the text count. It may be empty.
func (w *work) predict(ctx context.Context, description string) []string {
	known := func(path string) bool {
		clean, err := w.ws.Clean(path)
		if err != nil {
			return false
		}
		exists, _, err := w.ws.Stat(clean)
		return err == nil && exists
	}
	paths, err := w.listFiles(ctx, description)
	if err != nil {
		w.log.Info("the files of a plan in words were found by its words, because the model could not list them", zap.String("turn", w.turn.ID), zap.Error(err))
		paths = predict.Words(description, known)
	}
	return append([]string{}, predict.Clean(paths, w.ws.Clean)...)
}

// listFiles has a model list the files of a plan in words.
func (w *work) listFiles(ctx context.Context, description string) ([]string, error) {
	if w.builtin() {
		return nil, errNotAsked
	}
	ctx, cancel := context.WithTimeout(ctx, predictWithin)
	defer cancel()
	reply, err := w.structured(ctx, w.Model, model.Request{
		MaxTokens: maxPrediction, Schema: &model.Schema{Name: "files", JSON: predict.Schema},
		Messages: []model.Message{
			{Role: model.RoleSystem, Content: w.prompt("predict")},
			{Role: model.RoleUser, Content: description},
		},
	})
	if err != nil {
		return nil, err
	}
	return predict.Parse(reply)
}

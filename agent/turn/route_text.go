package turn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"redline/agent/chat"
	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/agent/trace"
	"redline/internal/phrase"
)

// handleText makes a plan in words. The model can only read files and try commands, and its
// reply becomes the description of a revision without operations. After the user approves it,
// the model works out the edits, see workOut.
func handleText(ctx context.Context, w *work) error {
	if w.revisions.inWords(w.turn) { // words do not replace staged edits
		var err error
		if w.revised, err = w.revisions.begin(w.turn, false); err != nil {
			return err
		}
		defer w.revisions.end(w.revised)
	}
	w.env = w.envFor(draft.New(w.ws))
	about := ""
	if w.revised != nil {
		p, r := w.revised.Now()
		about = fmt.Sprintf("%s\nGoal: %s\n\n%s\n", w.prompt("retext"), p.Goal, w.description(r, true))
	}
	messages, err := w.request(ctx, w.prompt("text"), about)
	if err != nil {
		return err
	}
	var tools []tool.Tool
	if !w.builtin() { // only if it cannot work does it answer in words
		tools = tool.OfFiles()
	}
	err = w.converse(ctx, messages, tools, w.hooks())
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err // half a plan is no plan
	case strings.TrimSpace(w.outcome.Text) == "":
		return plan.Refuse(plan.Invalid, "The model has answered nothing: send the message again, or say more about what you want.")
	}
	if model.IsHelp(w.Model.Info(), w.outcome.Text) {
		w.remember(w.outcome.Text)
		return nil
	}
	return w.concludeInWords(ctx)
}

// concludeInWords makes a revision in words of the model's answer, with the files that it is
// expected to change, and remembers the exchange.
func (w *work) concludeInWords(ctx context.Context) error {
	t, description := w.turn, withUndone(w.outcome.Text, w.undone)
	predicted := w.predict(ctx, description)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	n := w.revisions.byModel(t, w.env.Draft, description, draft.Sealed{})
	n.TextOnly, n.Predicted = true, predicted
	if err := w.revisions.keep(ctx, w.revised, n); err != nil {
		return err
	}
	w.remember(description)
	return nil
}

// wantedPlan reports whether a turn that ended without calling a tool that writes was meant to
// make a plan: then its reply is a plan in words.
func (w *work) wantedPlan() bool {
	m := &w.turn.request
	_, submitted := w.env.Draft.Submitted() // steps without operations are a plan in words
	wanted := w.mode() == "plan" || w.flags != nil && w.flags.Plan || submitted
	if c := w.turn.continued; c != nil && len(c.parked.Draft.Operations) > 0 {
		return false // operations were staged, and taken out after the user's answer
	}
	return wanted && w.route != routeAsk && m.Comment == nil && w.outcome.Stopped == "" && !triedToWrite(w.outcome.Messages) && strings.TrimSpace(w.outcome.Text) != "" &&
		!w.builtin() && (w.revised == nil || w.revised.Revision().TextOnly)
}

// goalOf returns the goal of a turn, in one line.
func goalOf(t *turn) string {
	if t.request.Goal != "" {
		return t.request.Goal
	}
	return phrase.FirstLine(t.request.Text, 200)
}

// submittedGoal returns the goal that a turn has submitted in d, "" for none.
func submittedGoal(d *draft.Draft) string {
	s, now := d.Submitted()
	if !now {
		return ""
	}
	return s.Goal
}

// Bounds of the request that finds the files of a plan in words.
const (
	predictWithin = 20 * time.Second
	maxPrediction = 2000 // tokens
)

// errNotAsked means that the model cannot list files.
var errNotAsked = errors.New("the built-in model is not asked")

// predict returns the workspace paths that a plan in words is expected to change, in order,
// possibly none. A model lists them; if it fails, predict takes the paths in the text.
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
		if !errors.Is(err, errNotAsked) {
			w.Record(trace.Step{Kind: trace.Fallback, Name: trace.ByForm, Summary: "the files were found by their form", Error: phrase.SentenceOf(err)})
		}
		paths = chat.PredictFromWords(description, known)
	}
	return append([]string{}, chat.CleanPredicted(paths, w.ws.Clean)...)
}

// listFiles has a model list the files that a plan in words will change.
func (w *work) listFiles(ctx context.Context, description string) ([]string, error) {
	if w.builtin() {
		return nil, errNotAsked
	}
	ctx, cancel := context.WithTimeout(ctx, predictWithin)
	defer cancel()
	reply, err := w.structured(ctx, w.Model, "predict", description, maxPrediction, &model.Schema{Name: "files", JSON: chat.PredictSchema})
	if err != nil {
		return nil, err
	}
	return chat.ParsePredicted(reply)
}

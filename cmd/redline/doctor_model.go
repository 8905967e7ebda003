package main

import (
	"context"
	"errors"
	"fmt"

	"redline/agent/model"
	"redline/edits"
	"redline/internal/phrase"
)

// checkModel asks the model one small question and reports whether the model has what
// Redline needs. The error is that of the provider, or the exit status for an unsuitable
// model.
func checkModel(ctx context.Context, s streams, set *setup, asJSON bool) error {
	info := set.model.Info()
	offline := info.Provider == "builtin" || set.settings.Replay != ""
	if offline {
		return errNoModel
	}
	if !asJSON {
		fmt.Fprintf(s.err, "Asking %s at %s a small question …\n", edits.Visible(info.Name), edits.Visible(info.BaseURL))
	}
	ctx, cancel := context.WithTimeout(ctx, testPatience)
	defer cancel()
	r, err := model.Check(ctx, set.settings.ModelConfig())
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the model %q did not answer within %v: try again, or choose a smaller one", info.Name, testPatience)
	}
	if err != nil {
		return err
	}
	if asJSON {
		return encodeVisible(s, reportJSON(r))
	}
	tellReport(s, r)
	return nil
}

// errNoModel reports that no model is configured to check.
var errNoModel = usage(errors.New("no model outside Redline is set up, so there is nothing to check: redline setup connects one"))

// tellReport prints which of the needed abilities a model has.
func tellReport(s streams, r model.Report) {
	line := func(good bool, what, found string) {
		mark := "ok "
		if !good {
			mark = "!! "
		}
		fmt.Fprintf(s.out, "%s%-10s %s\n", mark, what, edits.Visible(found))
	}
	answer := r.Answer
	if answer == "" {
		answer = "(no text)"
	}
	line(r.Answer != "", "answer", answer)
	line(r.Tools, "tools", yesOr(r.Tools, "it calls them", "it does not call them"))
	line(r.Streaming, "streaming", yesOr(r.Streaming, "its replies come in pieces", "its replies come whole"))
	switch {
	case r.Context == 0:
		line(r.OK(), "context", "not known")
	default:
		line(r.Context >= model.MinWindow, "context", phrase.Count(r.Context, "token"))
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(s.out, "   %-10s → %s\n", "", edits.Visible(w))
	}
}

func yesOr(yes bool, is, isNot string) string {
	if yes {
		return is
	}
	return isNot
}

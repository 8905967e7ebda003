package turn

import (
	"context"
	"fmt"
	"strings"

	"redline/agent/tool"
	"redline/internal/phrase"
)

// conclude ends a turn whose model has stopped: with the question that it asks, or with a revision
// of the operations that are staged. Then it remembers what was said. It returns runErr, the error
// that ended the model's work: a failed turn keeps its operations, and the revision says that it is
// incomplete. A cancelled one keeps nothing.
func (w *work) conclude(ctx context.Context, runErr error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if q := w.outcome.Asked; q != nil {
		return w.park(ctx, q)
	}
	staged := len(w.env.Draft.Operations()) > w.before || w.changedSteps()
	if runErr != nil && !staged {
		return runErr
	}
	answer := withUndone(w.outcome.Text, w.undone)
	if staged {
		description := withUndone(w.outcome.Text, undoneIn(w.turn, w.env.Draft))
		if runErr != nil {
			description = strings.TrimSpace(fmt.Sprintf("%s\n\nIncomplete: %s", description, phrase.SentenceOf(runErr)))
		}
		if err := w.revisions.makeFrom(ctx, w.turn, w.env.Draft, w.revised, description); err != nil {
			return err
		}
	}
	if runErr == nil && !staged && w.wantedPlan() {
		return w.concludeInWords(ctx)
	}
	w.remember(answer)
	return runErr
}

// changedSteps reports whether the turn has submitted other steps for a plan that has
// operations.
func (w *work) changedSteps() bool {
	_, now := w.env.Draft.Submitted()
	return now && w.revised != nil && !w.env.Draft.Empty()
}

// triedToWrite reports whether the model has called a tool that writes, including calls that
// were refused.
func (w *work) triedToWrite() bool {
	for _, m := range w.outcome.Messages {
		for _, c := range m.Calls {
			if t, ok := tool.Find(tool.All(), c.Name); ok && t.Stages() {
				return true
			}
		}
	}
	return false
}

package turn

import (
	"context"
	"fmt"
	"strings"

	"redline/agent/tool"
	"redline/internal/phrase"
)

// conclude makes a revision of the operations that the turn has staged and remembers what was
// said. It returns runErr, the error that ended the model's work: a failed turn keeps its
// operations, and the revision says that it is incomplete.
func (w *work) conclude(ctx context.Context, runErr error) error {
	staged := len(w.draft.Operations()) > w.before || w.changedSteps()
	if runErr != nil && !staged {
		return runErr
	}
	answer := withUndone(w.outcome.Text, w.undone)
	if staged {
		description := withUndone(w.outcome.Text, undoneIn(w.turn, w.draft))
		if runErr != nil {
			description = strings.TrimSpace(fmt.Sprintf("%s\n\nIncomplete: %s", description, phrase.SentenceOf(runErr)))
		}
		if err := w.revisions.makeFrom(ctx, w.turn, w.draft, w.revised, description); err != nil {
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
	_, now := w.draft.Submitted()
	return now && w.revised != nil && !w.draft.Empty()
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

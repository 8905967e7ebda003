package turn

import (
	"context"
	"fmt"
	"strings"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
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

// triedToWrite reports whether the messages of a model call a tool that writes, including calls
// that were refused.
func triedToWrite(messages []model.Message) bool {
	for _, m := range messages {
		for _, c := range m.Calls {
			if t, ok := tool.Find(tool.All(), c.Name); ok && t.Stages() {
				return true
			}
		}
	}
	return false
}

// A turn may end before all that its model has tried is done: a limit ends it, a patch was
// refused in part, edits in the answer were not taken. Its operations are kept, and the answer,
// the plan and the exit status of the command line say that something is missing. Nothing of
// such a turn is approved automatically.

// leftUndone returns what a model has left undone when it stops.
func leftUndone(out loop.Outcome, d *draft.Draft) plan.Unfinished {
	if out.Asked != nil { // the turn continues
		return plan.Unfinished{}
	}
	return plan.Unfinished{Stopped: out.Stopped, NotTaken: out.NotTaken, Refused: missing(d)}
}

// missing returns the files that the plan of a turn lacks because their patches were refused. A
// turn that has staged nothing has no plan that could look complete, and the model's answer
// says the rest.
func missing(d *draft.Draft) []plan.Refused {
	if !d.HasNews() {
		return nil
	}
	return d.Refused(true)
}

// withUndone adds to an answer what was left undone.
func withUndone(answer string, u plan.Unfinished) string {
	return strings.TrimSpace(answer + "\n\n" + strings.Join(u.Sentences(), "\n\n"))
}

// undoneIn returns what is undone in a revision made from d: by the turn, and by refused patches
// of earlier turns that were not fixed since.
func undoneIn(t *turn, d *draft.Draft) plan.Unfinished {
	u := t.Result().Unfinished.Clone()
	u.Refused = d.Refused(false)
	return u
}

// leftOut names the operations of a turn that are not in its plan because the files end up the
// same without them. idle are operations that had no effect.
func leftOut(left []draft.Left, idle []plan.Operation) string {
	var names []string
	name := func(o plan.Operation, why string) {
		what := strings.TrimSpace(o.Tool + " " + o.Path)
		if o.IsCommand() {
			what = fmt.Sprintf("the command %q%s", phrase.FirstLine(o.Command, 80), plan.In(o.Folder()))
		}
		names = append(names, what+why)
	}
	for _, l := range left {
		name(l.Operation, " ("+l.Why+")")
	}
	for _, o := range idle {
		name(o, " (nothing of it is left in the end)")
	}
	count := "1 redundant operation was"
	if len(names) > 1 {
		count = fmt.Sprintf("%d redundant operations were", len(names))
	}
	return fmt.Sprintf("%s left out: %s.", count, strings.Join(phrase.FirstOf(names, 5, "operation"), "; "))
}

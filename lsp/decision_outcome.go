package lsp

import (
	"context"
	"fmt"

	"redline/agent/decision"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/phrase"
)

// carryOut has the agent execute a decision and reports the outcome to the user. If the
// agent answers before the execution has ended, an event brings the outcome.
func (d *decisions) carryOut(ctx context.Context, decision decision.Request,
	run func(context.Context, decision.Request) (state.Result, error)) (any, error) {
	r, err := run(ctx, decision)
	switch {
	case err != nil:
		return nil, err
	case r.InWords(): // the end of its turn tells how it goes
		d.window.Info(fmt.Sprintf("plan %d is being worked out: you will see the edits before anything changes.", decision.Plan))
	case r.Outcome == nil: // commands alone: the end of their turn tells
	case !r.Outcome.Ended:
		d.window.Info(fmt.Sprintf("plan %d is still being %s: the editor has not answered yet.", decision.Plan, pastTense(r.Outcome.Verdict)))
	default:
		d.tellOutcome(decision.Plan, r.Outcome)
	}
	return r, nil
}

func pastTense(v plan.Verdict) string {
	switch v {
	case plan.VerdictUndo:
		return "taken back"
	case plan.VerdictReview:
		return "reviewed"
	}
	return "applied"
}

// tellOutcome shows what a decision did, what it did not do and why, and which files
// are not saved yet.
func (d *decisions) tellOutcome(n int, o *state.Outcome) {
	review := o.Verdict == plan.VerdictReview
	text := outcomeText(n, o)
	if review && o.Changes > 0 && o.Left > 0 {
		text += fmt.Sprintf(" %s not let through: still pending.", phrase.Count(o.Left, "change"))
	}
	for _, p := range o.Problems {
		text += " " + p.Path + ": " + phrase.OneSentence(p.Reason)
	}
	text += unsaved(d.workspace, o.Paths)
	if o.Changes == 0 && !review && !o.Already || len(o.Problems) > 0 {
		d.window.Warn(text)
	} else {
		d.window.Info(text)
	}
}

// outcomeText returns the outcome of a decision in one sentence.
func outcomeText(n int, o *state.Outcome) string {
	verb, review := pastTense(o.Verdict), o.Verdict == plan.VerdictReview
	if review {
		verb = "applied"
	}
	switch {
	case o.Already:
		return fmt.Sprintf("plan %d: it was in your text already, nothing had to be changed.", n)
	case o.Changes > 0:
		return fmt.Sprintf("plan %d: %s in %s %s.", n, phrase.Count(o.Changes, "change"), phrase.Count(o.ChangedFiles, "file"), verb)
	case o.Unclear:
		return fmt.Sprintf("plan %d: it cannot be told whether it was %s.", n, verb)
	case review:
		return fmt.Sprintf("plan %d: no change was let through in the review.", n)
	}
	return fmt.Sprintf("plan %d: nothing was %s.", n, verb)
}

package summary

import (
	"fmt"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/phrase"
	"redline/workspace"
)

// PastTense returns what a decision does to changes, for a message: "applied".
func PastTense(v plan.Verdict) string {
	switch v {
	case plan.VerdictUndo:
		return "taken back"
	case plan.VerdictReview:
		return "reviewed"
	}
	return "applied"
}

// Outcome returns the message about the outcome of a decision on plan n: what was done, what was
// not and why, and which files are not saved yet. warn is true if the user did not get all of
// what they decided.
func Outcome(w *workspace.Workspace, n int, o *state.Outcome) (text string, warn bool) {
	review := o.Verdict == plan.VerdictReview
	text = outcomeText(n, o)
	if review && o.Changes > 0 && o.Left > 0 {
		text += fmt.Sprintf(" %s not accepted: still pending.", phrase.Count(o.Left, "change"))
	}
	for _, p := range o.Problems {
		text += " " + p.Path + ": " + phrase.OneSentence(p.Reason)
	}
	text += Unsaved(w, o.Paths)
	return text, o.Changes == 0 && !review && !o.Already || len(o.Problems) > 0
}

// outcomeText returns the outcome of a decision in one sentence.
func outcomeText(n int, o *state.Outcome) string {
	verb, review := PastTense(o.Verdict), o.Verdict == plan.VerdictReview
	if review {
		verb = "applied"
	}
	switch {
	case o.Already:
		return fmt.Sprintf("plan %d: it was in your text already, so nothing was changed.", n)
	case o.Changes > 0:
		return fmt.Sprintf("plan %d: %s in %s %s.", n, phrase.Count(o.Changes, "change"), phrase.Count(o.ChangedFiles, "file"), verb)
	case o.Unclear:
		return fmt.Sprintf("plan %d: it is not known whether it was %s.", n, verb)
	case review:
		return fmt.Sprintf("plan %d: you accepted no change in the review.", n)
	}
	return fmt.Sprintf("plan %d: nothing was %s.", n, verb)
}

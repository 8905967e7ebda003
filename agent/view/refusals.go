package view

import (
	"fmt"

	"redline/agent/plan"
	"redline/internal/phrase"
)

// StaleRefusal returns the refusal of an approval that names stale hunks. rest is true if it
// also names something else.
func StaleRefusal(n int, ids []string, why string, rest bool) error {
	what := "Rework the plan."
	if rest {
		what = "Rework the plan, or approve the rest."
	}
	return &plan.Refusal{Kind: plan.Stale, Hunks: ids, Reason: fmt.Sprintf("Plan %d cannot be approved as shown, because %s (%s). %s", n, why, phrase.Named("hunk", ids), what)}
}

// NotAsShown returns the refusal of a decision on a revision, or on texts, other than the plan's
// current ones.
func NotAsShown(n int) error {
	return plan.Refuse(plan.HashMismatch, "Plan %d has changed since it was shown: review it again.", n)
}

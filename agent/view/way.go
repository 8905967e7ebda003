package view

import (
	"fmt"
	"slices"

	"redline/agent/plan"
)

// Way is how an approval comes about. A request to approve has one.
type Way string

// The ways to approve.
const (
	ByChoice      Way = "choice" // the user chooses it where the edits are shown: an action, a command or a question, or /approve in the chat
	ByWords       Way = "words"  // a phrase in the chat, such as "yes, do it"
	ByCommandLine Way = "cli"    // an argument of a command line, which asks no question
	ByRule        Way = "rules"  // a rule in the user's settings, with an earlier approval
)

// Ways returns all ways to approve.
func Ways() []Way { return []Way{ByChoice, ByWords, ByCommandLine, ByRule} }

// Forbidden are the ways in which nothing can be approved. The value says who forbids the way, as
// the subject of a sentence.
type Forbidden map[Way]string

// Check refuses an approval of plan n in a way that is forbidden. Where any is, an approval without
// a way is refused too.
func (f Forbidden) Check(n int, w Way) error {
	by, forbidden := f[w]
	switch {
	case forbidden:
		return plan.Refuse(plan.NotAllowed, "%s does not allow %s: %s.", by, w.approval(), f.instead(n))
	case len(f) > 0 && !slices.Contains(Ways(), w):
		return plan.Refuse(plan.NotAllowed, "Plan %d is not approved, because it is not known how the approval came about: %s.", n, f.instead(n))
	}
	return nil
}

// approval names an approval in this way, for the user.
func (w Way) approval() string {
	switch w {
	case ByWords:
		return "approval by words"
	case ByCommandLine:
		return "approval on the command line without a question"
	case ByRule:
		return "approval by a rule"
	}
	return "approval by an action, a command or an answer"
}

// instead says how plan n can be approved, for the end of a sentence.
func (f Forbidden) instead(n int) string {
	for _, w := range []struct {
		way  Way
		does string
	}{
		{ByChoice, fmt.Sprintf("approve plan %d with its action in your editor, with /approve %d in the chat, or by your answer at a terminal", n, n)},
		{ByCommandLine, fmt.Sprintf("approve it with redline plans approve %d", n)},
		{ByWords, "say \"approve\" in the chat"},
	} {
		if _, forbidden := f[w.way]; !forbidden {
			return w.does
		}
	}
	return "nothing can be approved on this machine"
}

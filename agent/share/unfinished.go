package share

import (
	"fmt"

	"redline/agent/plan"
	"redline/internal/phrase"
)

// unfinished checks the file's list of what a turn left undone: texts of one line each, which
// have no effect.
func unfinished(in *Unfinished) (plan.Unfinished, error) {
	if in == nil {
		return plan.Unfinished{}, nil
	}
	if len(in.Refused) > maxItems {
		return plan.Unfinished{}, fmt.Errorf("there are more than %d refused calls", maxItems)
	}
	words := []string{in.Stopped, in.NotTaken}
	for _, f := range in.Refused {
		words = append(words, f.Path, f.Reason, f.Tool)
	}
	for _, w := range words {
		if err := bounded("what was left undone", w, maxGoal); err != nil {
			return plan.Unfinished{}, err
		}
	}
	out := plan.Unfinished{Stopped: phrase.OneLine(in.Stopped), NotTaken: phrase.OneLine(in.NotTaken)}
	for _, f := range in.Refused {
		out.Refused = append(out.Refused, plan.Refused{Path: phrase.OneLine(f.Path), Reason: phrase.OneLine(f.Reason), Tool: phrase.OneLine(f.Tool)})
	}
	return out, nil
}

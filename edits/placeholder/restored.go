package placeholder

import (
	"fmt"
	"strings"
)

// StepRestored is shown with a hunk in addition to, or instead of, the step that found
// its place (see [match.Match]), if lines that its author left out were put back.
const StepRestored = "left-out lines kept"

// Step returns the text to show with a hunk whose place was found by step; restored means
// that placeholders in its text were resolved.
func Step(step string, restored bool) string {
	switch {
	case !restored:
		return step
	case step == "", step == "exact", step == "line": // found exactly as asked for
		return StepRestored
	}
	return step + ", " + StepRestored
}

// Restored returns a text that names the placeholders whose lines were put back, "" for
// none.
func Restored(ps []Placeholder) string {
	if len(ps) == 0 {
		return ""
	}
	names := make([]string, 0, len(ps))
	for _, p := range ps[:min(len(ps), maxListed)] {
		names = append(names, fmt.Sprintf("%s (line %d)", quoted(p.Text), p.Line))
	}
	if len(ps) > maxListed {
		names = append(names, fmt.Sprintf("%d more", len(ps)-maxListed))
	}
	return "The lines for " + strings.Join(names, ", ") + " were taken over from the text that is there."
}

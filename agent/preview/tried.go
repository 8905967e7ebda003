package preview

import (
	"redline/agent/plan"
	"redline/agent/state"
	"redline/internal/phrase"
)

// triedHeading begins the part on trials. The part ends before the next heading: its other lines
// begin with a word, a list mark or spaces.
const triedHeading = "## Tried"

// tried writes the trials that are shown with the plan. Read skips them.
func (w *writer) tried(trials []state.Trial) {
	begun := false
	if why := w.plan.WhyUntried(); why != "" && w.revision.Number == w.plan.Current && len(trials) == 0 {
		w.line("%s\n\nNothing was tried: %s\n", triedHeading, phrase.FullStop(phrase.OneLine(why)))
	}
	for i := range trials {
		t := &trials[i]
		if !t.Shown {
			continue
		}
		if !begun {
			w.line(triedHeading + "\n")
			w.line("As it was when this page was written. Nothing of it has stayed, and it decides nothing.\n")
			begun = true
		}
		w.trial(t)
	}
	if begun {
		w.line("")
	}
}

// trial writes a trial, and its output if it failed.
func (w *writer) trial(t *state.Trial) {
	text := code(phrase.Clip(phrase.OneLine(t.Command), 200)) + plan.In(t.Cwd) + ": " + t.Result + ", after " + phrase.Took(t.DurationMS)
	if !t.Current {
		text += ", of an earlier text"
	}
	if t.Problem != "" {
		text += ". " + phrase.OneLine(t.Problem)
	}
	w.line("- %s", text)
	if t.Verdict != string(plan.TrialPassed) {
		w.output(t.Output)
	}
}

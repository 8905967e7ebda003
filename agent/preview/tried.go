package preview

import (
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/agent/report"
	"redline/agent/state"
	"redline/internal/fence"
	"redline/internal/phrase"
)

// triedHeading begins the part on trials. It ends before the next heading: all of its other lines
// begin with a word, a list's mark or blanks.
const triedHeading = "## Tried"

// tried writes the trials that are shown with the plan. Read reads over them.
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

// trial writes a trial, and the output of one that has not passed.
func (w *writer) trial(t *state.Trial) {
	text := code(phrase.Clip(phrase.OneLine(t.Command), 200)) + plan.In(t.Cwd) + ": " + t.Verdict + ", after " + phrase.Took(t.DurationMS)
	if !t.Current {
		text += ", of an earlier text"
	}
	if t.Problem != "" {
		text += ". " + phrase.OneLine(t.Problem)
	}
	w.line("- %s", text)
	if t.Verdict != plan.TrialPassed {
		w.output(t.Output)
	}
}

// failedHeading begins the part of a preview that quotes what the commands that failed have printed.
const failedHeading = "## Failed"

// failed quotes what the commands of the revision that failed have printed. Read reads over it.
func (w *writer) failed() {
	begun := false
	for i := range w.revision.Operations {
		o := &w.revision.Operations[i]
		m := w.plan.Progress.Command(o.ID)
		if w.revision.Number != w.plan.Current || !o.IsCommand() || m.Status != plan.CommandFailed {
			continue
		}
		if !begun {
			w.line(failedHeading + "\n")
			begun = true
		}
		text := fmt.Sprintf("%s %s%s", o.ID, code(phrase.Clip(phrase.OneLine(o.Command), 200)), plan.In(o.Folder()))
		if m.ExitCode != nil {
			text += fmt.Sprintf(": exit code %d", *m.ExitCode)
		}
		if m.Reason != "" {
			text += ": " + phrase.OneLine(m.Reason)
		}
		w.line("- %s", text)
		w.output(report.Output(m))
	}
	if begun {
		w.line("")
	}
}

// output quotes an output below an item of a list.
func (w *writer) output(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	around := fence.Around(text)
	w.line("\n  %s", around)
	for line := range strings.SplitSeq(strings.TrimRight(text, "\r\n"), "\n") {
		w.line("%s", strings.TrimRight("  "+line, " \t\r"))
	}
	w.line("  %s", around)
}

// code marks a text as code.
func code(text string) string {
	marks := "`"
	if strings.Contains(text, "`") {
		marks = "``"
	}
	return marks + text + marks
}

// WithoutTried returns a preview without its parts on trials and on commands that failed.
func WithoutTried(text string) string {
	var b strings.Builder
	within := false
	for line := range strings.Lines(text) {
		if within = inTried(within, strings.TrimRight(line, " \t\r\n")); !within {
			b.WriteString(line)
		}
	}
	return b.String()
}

// inTried reports whether a line belongs to the part on trials or on commands that failed, if the line before it does or not.
func inTried(before bool, line string) bool {
	return line == triedHeading || line == failedHeading || before && !strings.HasPrefix(line, "#")
}

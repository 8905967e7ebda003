package preview

import (
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/internal/fence"
	"redline/internal/phrase"
)

// failedHeading begins the part of a preview that quotes the output of failed commands.
const failedHeading = "## Failed"

// failed quotes the output of the revision's failed commands. Read skips this part.
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
		if m.Verdict != "" {
			text += ": " + m.Words()
		}
		if m.ExitCode != nil {
			text += fmt.Sprintf(": exit code %d", *m.ExitCode)
		}
		if m.Reason != "" {
			text += ": " + phrase.OneLine(m.Reason)
		}
		w.line("- %s", text)
		w.output(view.ReportOutput(m))
	}
	if begun {
		w.line("")
	}
}

// output quotes an output below a list item.
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

// code formats a text as code.
func code(text string) string {
	marks := "`"
	if strings.Contains(text, "`") {
		marks = "``"
	}
	return marks + text + marks
}

package preview

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/internal/fence"
	"redline/internal/phrase"
)

// displayPath returns the path, or a Go string literal of it if a part of it could be
// mistaken or is invisible.
func displayPath(path string) string {
	if quoted := strconv.Quote(path); quoted[1:len(quoted)-1] != path || strings.Contains(path, arrow) || strings.Contains(path, "`") {
		return quoted
	}
	return path
}

// The headings of the parts of a preview on files that have other names, on proposed files that
// do not parse, and on what language servers report.
const (
	problemsHeading   = "## Problems"
	otherNamesHeading = "## Hard links"
	unparsedHeading   = "## Does not parse"
)

// maxListed is how many files such a part lists.
const maxListed = 100

// otherNames names the files that have other names on disk. n has their numbers, by the path of the
// change. Read skips this part.
func (w *writer) otherNames(n map[string]int) {
	w.listed(otherNamesHeading, "The other names of these files keep their text, unless your editor saves through the link.", func(c *plan.Change) string {
		if n[c.Path] == 0 {
			return ""
		}
		return displayPath(c.Path) + ": " + phrase.Count(n[c.Path], "other name")
	})
}

// unparsed names the proposed files that do not parse. why has the reasons, by the path of the
// change. Read skips this part.
func (w *writer) unparsed(why map[string]string) {
	w.listed(unparsedHeading, "With all of these edits, as they were when this page was written.", func(c *plan.Change) string {
		problem, ok := why[c.Path]
		if !ok {
			return ""
		}
		return displayPath(cmp.Or(c.NewPath, c.Path)) + ": " + phrase.OneLine(problem)
	})
}

// maxReported is how many problems a preview lists.
const maxReported = 20

// problems lists what language servers report. Read skips this part.
func (w *writer) problems(p *plan.Problems) {
	words := p.Words()
	if p == nil || len(p.Added) == 0 && words == "" {
		return
	}
	if words != "" {
		words = ": " + words
	}
	w.line("%s\n\nWith all of these edits, as they were when this page was written%s.\n", problemsHeading, words)
	shown := p.Added[:min(len(p.Added), maxReported)]
	for _, one := range shown {
		text := fmt.Sprintf("%s:%d: %s: %s", displayPath(one.Path), one.Range.Start.Line+1, one.Severity, literal(one.Message))
		if by := strings.TrimSpace(one.Source + " " + one.Code); by != "" {
			text += " (" + literal(by) + ")"
		}
		w.line("- %s", text)
	}
	if more := len(p.Added) - len(shown) + p.More; more > 0 {
		w.line("- %s", phrase.Count(more, "more problem"))
	}
	if len(p.Added) > 0 {
		w.line("")
	}
}

// listed writes a part that lists the files for which item returns a text.
func (w *writer) listed(heading, intro string, item func(*plan.Change) string) {
	shown := 0
	for i := range w.revision.Changes {
		text := item(&w.revision.Changes[i])
		if text == "" {
			continue
		}
		if shown++; shown == 1 {
			w.line("%s\n\n%s\n", heading, intro)
		}
		if shown <= maxListed {
			w.line("- %s", text)
		}
	}
	if more := shown - maxListed; more > 0 {
		w.line("- %s", phrase.Count(more, "more file"))
	}
	if shown > 0 {
		w.line("")
	}
}

// sharedHeading begins the part on what came from elsewhere. Its other lines are as those on trials.
const sharedHeading = "## From elsewhere"

// writeShared writes what came from elsewhere, with the comments of others. Read skips it.
func writeShared(w *writer) {
	if w.plan.Shared == nil || w.revision.Number != w.plan.Current {
		return
	}
	w.line(sharedHeading + "\n")
	for _, sentence := range w.plan.Shared.Sentences() {
		w.line("- %s", phrase.OneLine(sentence))
	}
	listed := 0
	for _, c := range w.plan.Progress.Comments {
		if c.Done || c.Author == plan.AuthorUser {
			continue
		}
		if listed++; listed <= maxListed {
			w.line("- %s, line %d, %s: %s", displayPath(c.Path), c.Line, literal(plan.Person(c.Author)), literal(phrase.ClipBytes(phrase.OneLine(c.Text), maxCommentShown)))
		}
	}
	if more := listed - maxListed; more > 0 {
		w.line("- %s", phrase.Count(more, "more comment"))
	}
	w.line("")
}

// maxCommentShown is how many bytes of a comment a preview shows.
const maxCommentShown = 300

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
	text := code(phrase.Clip(phrase.OneLine(t.Command), 200)) + plan.InFolder(t.Cwd) + ": " + t.Result + ", after " + phrase.Took(t.DurationMS)
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
		text := code(phrase.Clip(phrase.OneLine(o.Command), 200)) + plan.InFolder(o.Folder())
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

// literal formats any text of one line as code (CommonMark 0.31, Code spans).
func literal(text string) string {
	marks := "`"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return marks + text + marks
}

// WithoutBeside returns a preview without the parts on what is beside the plan, see [Beside],
// and on failed commands.
func WithoutBeside(text string) string {
	var b strings.Builder
	within := false
	for line := range strings.Lines(text) {
		if within = inBeside(within, strings.TrimRight(line, " \t\r\n")); !within {
			b.WriteString(line)
		}
	}
	return b.String()
}

// inBeside reports whether a line belongs to the parts that Read skips. before is true if the
// previous line does.
func inBeside(before bool, line string) bool {
	switch line {
	case sharedHeading, triedHeading, failedHeading, problemsHeading, unparsedHeading, otherNamesHeading:
		return true
	}
	return before && !strings.HasPrefix(line, "#")
}

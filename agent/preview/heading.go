// Package preview writes the preview of a plan's revision, a Markdown file that shows
// everything that would happen, and reads the user's edits of it.
//
// [Read] compares the parts of an edited page with those of the rendering of its
// revision, so nothing that Redline draws can be out of date, and Redline can tell its
// own text from the user's without storing it. It reads a diff row by row against base:
// the signs show what stays, and an unchanged row keeps its bytes. [Edit.Revise] makes
// the new revision. The user's edits become a separate operation on the result of the
// others, so that the list of operations stays true.
package preview

import (
	"fmt"
	"strconv"
	"strings"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/fence"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// headingForm matches a file's heading. Nothing else in a preview begins like it.
var headingForm = lazyregexp.New(`^### (.+) \((?:create|update|rename|delete)(` + programWord + `)?, \+[0-9]+ −[0-9]+\)$`)

const arrow = " → "

// programWord is in the heading of a new file that is executable.
const programWord = ", executable"

// Heading is a line of a preview that names a file of the plan.
type Heading struct {
	Path string     // workspace path, before a move
	Name edits.Span // place of the path in the text of the preview
	New  edits.Span // place of the diff line that names the new file; empty if there is none
}

// Headings returns the lines of a preview that name files.
func Headings(text string) []Heading {
	var all []Heading
	offset := 0
	for line := range strings.Lines(text) {
		start := offset
		offset += len(line)
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "+++ ") && len(all) > 0 && all[len(all)-1].New.End == 0 {
			all[len(all)-1].New = edits.Span{Start: start, End: start + len(line)}
		}
		m := headingForm().FindStringSubmatchIndex(line)
		if m == nil {
			continue
		}
		if path, ok := readPath(line[m[2]:m[3]]); ok {
			all = append(all, Heading{Path: path, Name: edits.Span{Start: start + m[2], End: start + m[3]}})
		}
	}
	return all
}

// SectionAt returns the path of the file whose section of a preview contains the line,
// counted from 0. For a moved file, it is the path before the move.
func SectionAt(text string, line int) (path string, ok bool) {
	l := edits.NewLines(text)
	for i := min(line, l.Count()-1); i >= 0; i-- {
		c := l.Content(i)
		switch content := text[c.Start:c.End]; {
		case strings.HasPrefix(content, "### "):
			m := headingForm().FindStringSubmatch(content)
			if m == nil {
				return "", false
			}
			return readPath(m[1])
		case strings.HasPrefix(content, "# "), strings.HasPrefix(content, "## "):
			return "", false
		}
	}
	return "", false
}

// displayPath returns the path, or a Go string literal of it if a part of it could be
// mistaken or is invisible.
func displayPath(path string) string {
	if quoted := strconv.Quote(path); quoted[1:len(quoted)-1] != path || strings.Contains(path, arrow) || strings.Contains(path, "`") {
		return quoted
	}
	return path
}

// readPath reads the first path of a heading.
func readPath(s string) (string, bool) {
	if quoted, err := strconv.QuotedPrefix(s); err == nil && quoted[0] == '"' {
		path, err := strconv.Unquote(quoted)
		return path, err == nil
	}
	s, _, _ = strings.Cut(s, arrow)
	return s, true
}

// otherNamesHeading begins the part of a preview on files that have other names.
const otherNamesHeading = "## Hard links"

// maxOtherNames is how many files with other names are listed.
const maxOtherNames = 100

// otherNames names the files that have other names on disk. n has their numbers, by the path of the
// change. Read skips this part.
func (w *writer) otherNames(n map[string]int) {
	shown := 0
	for i := range w.revision.Changes {
		path := w.revision.Changes[i].Path
		if n[path] == 0 {
			continue
		}
		if shown++; shown == 1 {
			w.line(otherNamesHeading + "\n")
			w.line("The other names of these files keep their text, unless your editor saves through the link.\n")
		}
		if shown <= maxOtherNames {
			w.line("- %s: %s", displayPath(path), phrase.Count(n[path], "other name"))
		}
	}
	if more := shown - maxOtherNames; more > 0 {
		w.line("- %s", phrase.Count(more, "more file"))
	}
	if shown > 0 {
		w.line("")
	}
}

// unparsedHeading begins the part of a preview on proposed files that do not parse.
const unparsedHeading = "## Does not parse"

// maxUnparsed is how many files that do not parse are named.
const maxUnparsed = 100

// unparsed names the proposed files that do not parse. why has the reasons, by the path of the
// change. Read skips this part.
func (w *writer) unparsed(why map[string]string) {
	shown := 0
	for i := range w.revision.Changes {
		c := &w.revision.Changes[i]
		problem, ok := why[c.Path]
		if !ok {
			continue
		}
		if shown++; shown == 1 {
			w.line(unparsedHeading + "\n")
			w.line("With all of these edits, as they were when this page was written.\n")
		}
		name := c.Path
		if c.NewPath != "" {
			name = c.NewPath
		}
		if shown <= maxUnparsed {
			w.line("- %s: %s", displayPath(name), phrase.OneLine(problem))
		}
	}
	if more := shown - maxUnparsed; more > 0 {
		w.line("- %s", phrase.Count(more, "more file"))
	}
	if shown > 0 {
		w.line("")
	}
}

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
		text := fmt.Sprintf("%s %s%s", o.ID, code(phrase.Clip(phrase.OneLine(o.Command), 200)), plan.InFolder(o.Folder()))
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
	case triedHeading, failedHeading, unparsedHeading, otherNamesHeading:
		return true
	}
	return before && !strings.HasPrefix(line, "#")
}

package placeholder

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"redline/edits"
)

// Refusal is the error for a new text with placeholders whose lines cannot be restored.
// Its message is for the model that wrote the text.
type Refusal struct {
	Placeholders []Placeholder // at least one
	Form         Form
	why          string // why the lines of the first are unclear
}

// Limits of what is quoted.
const (
	maxQuoted = 80 // bytes of a line
	maxListed = 5  // placeholders
)

// Error implements error.
func (r *Refusal) Error() string {
	var b strings.Builder
	p := r.Placeholders[0]
	fmt.Fprintf(&b, "Line %d of the new text (%s) stands for lines that it leaves out", p.Line, quoted(p.Text))
	if p.put {
		b.WriteString(", but it takes the place of none: it would stay in the file as it is. ")
	} else {
		b.WriteString(": the code that it stands for would be deleted. ")
	}
	b.WriteString("Nothing was changed. ")
	if more := r.Placeholders[1:]; len(more) > 0 {
		names := make([]string, 0, len(more))
		for _, p := range more[:min(len(more), maxListed)] {
			names = append(names, fmt.Sprintf("%d (%s)", p.Line, quoted(p.Text)))
		}
		if len(more) > maxListed {
			names = append(names, fmt.Sprintf("%d more", len(more)-maxListed))
		}
		b.WriteString("The same is true of line " + strings.Join(names, ", ") + ". ")
	}
	b.WriteString(r.advice())
	return b.String()
}

// advice returns what to send instead.
func (r *Refusal) advice() string {
	switch {
	case r.Placeholders[0].put && r.Form == Whole:
		return "Leave the line out, and send the whole text of the file, with every line."
	case r.Placeholders[0].put:
		return "Leave the line out: what is not named stays as it is."
	case r.Form == Rows:
		return "Leave the line out, take away (-) only the lines that go, and begin another chunk for the next change: what a patch does not name stays as it is."
	case r.Form == Whole:
		return fmt.Sprintf("It was not replaced by those lines, since %s. Send the whole text of the file, with every line, or change only a part of it with edit_file.", r.why)
	}
	return fmt.Sprintf("It was not replaced by those lines, since %s. Send every line of the new text, or replace less: give only the lines that change as the text to replace.", r.why)
}

// quoted returns a line as a message quotes it.
func quoted(line string) string {
	line = strings.TrimSpace(line)
	if len(line) > maxQuoted {
		n := maxQuoted
		for n > 0 && !utf8.RuneStart(line[n]) {
			n--
		}
		line = line[:n] + "…"
	}
	return "`" + edits.VisibleLine(line) + "`"
}

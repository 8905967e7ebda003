package edits

import (
	"fmt"
	"strings"
	"unicode"
)

// Reasons of a Refusal.
const (
	ReasonNone    = "none"    // the text to replace is not there
	ReasonSeveral = "several" // it is there more than once
	ReasonEmpty   = "empty"   // there is no text to replace
	ReasonNoop    = "noop"    // the replacement is what is there already
	ReasonSize    = "size"    // the new text in all places would be too much
	ReasonIndent  = "indent"  // it is there, indented otherwise, and the new text cannot be indented like it
)

// Refusal says why an edit has no place. It is an answer to the model that
// asked for it, and as an error reads as one paragraph that says what was
// found and what to do.
type Refusal struct {
	Reason  string
	Step    string // for "several": the step that found them; see Match.Step
	Count   int    // for "several": how many places were found
	Lines   []int  // for "several": the lines, counted from 1, where the first of the places start; at most 10
	Nearest *Near  // for "none": the text most like it, if any is; for "indent" the place
	why     string // for "indent": continues "but"
	old     string
}

// Near is the place in a text that is most like a text that is not in it. It
// is for explaining only; no edit is ever made there.
type Near struct {
	Line int    // its first line, counted from 1
	Text string // its lines, with their line ends
}

// Limits of what Error quotes.
const (
	maxListed = 10  // lines of places
	maxQuoted = 24  // lines of a difference
	maxWidth  = 160 // bytes of a line
)

// Error implements error.
func (r *Refusal) Error() string {
	switch r.Reason {
	case ReasonEmpty:
		return "The text to replace is empty, so there is no place for the new text. Give some of the text that is there, word for word, and repeat it in the new text; to make a new file, use write_file."
	case ReasonNoop:
		return "The new text is the same as the text to replace, so there is nothing to change."
	case ReasonSize:
		return fmt.Sprintf("The new text in all places would be more than %d MiB. Nothing was changed. Replace fewer places at once, or put less in each.", maxPut>>20)
	case ReasonSeveral:
		return fmt.Sprintf("The text to replace was found in %d places, on lines %s%s. Nothing was changed. Add lines above or below so that only one place fits, or ask for all places to be replaced.",
			r.Count, r.listed(), r.forgiven())
	case ReasonIndent:
		return fmt.Sprintf("The text to replace was found on line %d with another indentation, but %s. Nothing was changed. It differs like this (- was asked for, + is in the file):\n%s\nGive both texts indented as the file is.",
			r.Nearest.Line, r.why, marked(r.old, r.Nearest.Text))
	default:
		if r.Nearest == nil {
			return "The text to replace was not found, and nothing in the file is much like it. Nothing was changed. Read the file again and give its text word for word."
		}
		return fmt.Sprintf("The text to replace was not found. Nothing was changed. The nearest text starts on line %d; it differs like this (- was asked for, + is in the file):\n%s\n%sGive the text of the file word for word, or read the file again.",
			r.Nearest.Line, marked(r.old, r.Nearest.Text), blanks(r.old, r.Nearest.Text))
	}
}

// forgiven says what had to be forgiven to find the places.
func (r *Refusal) forgiven() string {
	switch r.Step {
	case "", stepExact:
		return ""
	case stepLookAlikes:
		return " (forgiving Unicode look-alikes of quotes, dashes and spaces)"
	default:
		return fmt.Sprintf(" (forgiving other %s)", r.Step)
	}
}

// listed names the lines of the first places.
func (r *Refusal) listed() string {
	names := make([]string, len(r.Lines))
	for i, line := range r.Lines {
		names[i] = fmt.Sprint(line)
	}
	if r.Count > len(r.Lines) {
		return strings.Join(names, ", ") + " and further down"
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// marked returns the difference between what was asked for and what is there,
// line by line.
func marked(old, near string) string {
	var lines []string
	put := func(mark, text string) {
		for _, line := range splitLines(text) {
			lines = append(lines, mark+clip(strings.TrimRight(line, "\r\n")))
		}
	}
	at := 0
	old, near = unterminated(old), unterminated(near)
	for _, h := range Diff(old, near) {
		put("  ", old[at:h.Old.Start])
		put("- ", h.OldText)
		put("+ ", h.NewText)
		at = h.Old.End
	}
	put("  ", old[at:])
	if len(lines) > maxQuoted {
		lines = append(lines[:maxQuoted], "  …")
	}
	return strings.Join(lines, "\n")
}

// unterminated returns text without its last line end.
func unterminated(text string) string { return strings.TrimRight(text, "\r\n") }

// clip shortens a line and makes it safe to show.
func clip(line string) string {
	if len(line) > maxWidth {
		line = line[:runeStart(line, maxWidth)] + "…"
	}
	return Visible(line)
}

// blanks says so, with the first line that differs, if the texts differ in
// nothing but blanks and line ends, which a reader would not see.
func blanks(old, near string) string {
	if squeeze(old) != squeeze(near) {
		return ""
	}
	x, y := splitLines(old), splitLines(near)
	what := "blanks or line ends differ"
	if len(x) == len(y) && differInIndent(bare(x), bare(y)) {
		what = "the indentation differs, and not in the same way on all lines"
	}
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("Only %s: asked for was %q, the file has %q. ", what, clip(x[i]), clip(y[i]))
		}
	}
	return "Only blanks or line ends differ. "
}

// bare returns the lines without their line ends and the blanks before them.
func bare(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = trimBlanks(content(line))
	}
	return out
}

// squeeze returns s without white space.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

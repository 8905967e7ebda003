package match

import (
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
	"redline/edits/internal/pair"
)

// Models begin a text at the first character that is not a space, so that only its first line lacks
// the indentation. Where whole lines are wanted, no shift fits. The line gets the indentation of
// the file if all other lines are as the file has them, and no other place could be meant, even
// if no spaces counted.

// lacksFirstIndent reports whether the first of several lines is not indented.
func lacksFirstIndent(lines []string) bool {
	return len(lines) > 1 && linetext.TrimSpace(lines[0]) != "" && linetext.IndentOf(lines[0]) == ""
}

// firstIndent returns the indentation that the first line of old lacks in its only place.
func firstIndent(text, old string, there *loose, w Where) (indent string, ok bool) {
	if there == nil || !w.Lines || !lacksFirstIndent(linetext.Split(old)) {
		return "", false
	}
	indent = linetext.IndentOf(there.lines[0].Of(text))
	return indent, indent != ""
}

// findByFirstLine is Find for a text whose first line lacks its indentation.
func findByFirstLine(text, old string, there *loose, w Where) (Match, bool) {
	indent, ok := firstIndent(text, old, there, w)
	if !ok {
		return Match{}, false
	}
	w.Narrow = nil
	m, step, err := find(text, indent+old, w, false)
	if err != nil || len(m.Spans) > 1 || step.name != StepExact && step.name != StepLineEndings {
		return Match{}, false
	}
	m.Step = StepIndentation
	return m, true
}

// replaceByFirstLine is Replace for such a text. ok is false if it does not find a place, or if it is
// not clear how the new text is indented.
func replaceByFirstLine(text, old, new string, there *loose, w Where) (es []edits.Edit, m Match, err error, ok bool) {
	if _, ok := findByFirstLine(text, old, there, w); !ok {
		return nil, Match{}, nil, false
	}
	indent, _ := firstIndent(text, old, there, w)
	if new, ok = withFirstIndent(old, new, indent); !ok {
		return nil, Match{}, nil, false
	}
	w.Narrow = nil
	es, m, err = replace(text, indent+old, new, w)
	m.Step = StepIndentation
	return es, m, err, true
}

// withFirstIndent returns the new text with the indentation that its author left out: of its first
// line, and of the first line of old wherever that stays. ok is false if another new line is not
// indented either, though all others of old are.
func withFirstIndent(old, new, indent string) (with string, ok bool) {
	was, now := linetext.Split(old), linetext.Split(new)
	of := pair.Lines(linetext.Contents(was), linetext.Contents(now)).Of
	flush := slices.ContainsFunc(was[1:], func(line string) bool { return linetext.TrimSpace(line) != "" && linetext.IndentOf(line) == "" })
	var b strings.Builder
	for j, line := range now {
		i, own := of[j], linetext.IndentOf(line)
		same := i >= 0 && linetext.Content(was[i]) == linetext.Content(line)
		switch {
		case linetext.TrimSpace(line) == "":
		case own != "":
			if i == 0 && own != indent {
				return "", false
			}
		case j == 0 || i == 0 && same:
			b.WriteString(indent)
		case !same && !flush:
			return "", false
		}
		b.WriteString(line)
	}
	return b.String(), true
}

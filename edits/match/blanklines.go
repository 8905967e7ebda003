package match

import (
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// withoutBlankLines returns the lines of a text, and how many at its start and at its end are
// blank. ok is false if all are.
func withoutBlankLines(text string) (lines []string, lead, tail int, ok bool) {
	lines = linetext.Split(linetext.WithoutBOM(text))
	blank := func(line string) bool { return linetext.TrimSpace(line) == "" }
	lead = slices.IndexFunc(lines, func(line string) bool { return !blank(line) })
	if lead < 0 {
		return lines, len(lines), 0, false
	}
	for blank(lines[len(lines)-1-tail]) {
		tail++
	}
	return lines, lead, tail, true
}

// replaceInside is Replace for a text with blank lines around it that the file does not have. It
// leaves them out, of both texts. The lines between must be in one place, and not be the same
// in both texts. ok is false if that is not so.
func replaceInside(text, old, new string, w Where) (es []edits.Edit, m Match, err error, ok bool) {
	was, lead, tail, ok := withoutBlankLines(old)
	if !ok || lead+tail == 0 || w.Lines { // a patch has its own rules for them
		return nil, Match{}, nil, false
	}
	if strings.HasPrefix(old, linetext.BOM) && strings.LastIndex(text, linetext.BOM) > 0 {
		return nil, Match{}, nil, false // the line with the mark may be one of the file's own
	}
	if linetext.End(old) == "" && strings.Contains(flat(text), strings.TrimSuffix(flat(old), "\n")) {
		return nil, Match{}, nil, false // the file has the blank lines, around a part of a line
	}
	whole := func(lines []string) string {
		text := strings.Join(lines, "")
		if text != "" && linetext.End(text) == "" {
			text += "\n"
		}
		return text
	}
	now, above, below, words := withoutBlankLines(new)
	if !words {
		now = nil
	} else {
		now = now[min(lead, above) : len(now)-min(tail, below)]
	}
	w.Narrow, w.Lines = nil, true
	es, m, err = replace(text, whole(was[lead:len(was)-tail]), whole(now), w)
	if r, refused := err.(*Refusal); refused && (r.Reason == ReasonNone || r.Reason == ReasonSeveral || r.Reason == ReasonNoop) || err == nil && (len(m.Spans) > 1 || m.Step == StepLookAlikes) {
		return nil, Match{}, nil, false
	}
	return es, m, err, true
}

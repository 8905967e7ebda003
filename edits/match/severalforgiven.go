package match

import (
	"fmt"
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
	"redline/edits/internal/showdiff"
)

// asTheFile names the lines of a place.
const asTheFile = "the lines as the file has them"

// asThere returns the lines of a place as the text has them, with as few lines above or
// below as make them unique. After a step that forgives something, lines beside the
// text to replace may not be enough, since they do not fit it.
func asThere(l *edits.Lines, p edits.Span) (beside, bool) {
	first, last := linesOf(l, p)
	var own []string
	for i := first; i <= last; i++ {
		own = append(own, l.Content(i).Of(l.Text()))
	}
	for n := 0; n <= maxBeside; n++ {
		for _, above := range []bool{true, false} {
			lines := linesBeside(l, p, n, above)
			if len(lines) < n {
				continue
			}
			b := beside{line: first + 1, there: true}
			if above {
				b.above, b.lines = n, slices.Concat(lines, own)
			} else {
				b.below, b.lines = n, slices.Concat(own, lines)
			}
			if !shows(b.lines) {
				return b, false
			}
			if m, err := Find(l.Text(), strings.Join(b.lines, "\n"), Where{}); err == nil && len(m.Spans) == 1 {
				return b, true
			}
		}
	}
	return beside{}, false
}

// forgivingApart is like tellApart, for places of a step that forgives something.
func (r *Refusal) forgivingApart() (out []beside) {
	l := edits.NewLines(r.text)
	for _, p := range r.places {
		b, ok := besideOf(l, p, r.places)
		if !ok || !r.fits(b) {
			b, ok = asThere(l, p)
		}
		if ok {
			out = append(out, b)
		}
	}
	return out
}

// block returns the lines of a place as a message quotes them.
func (b *beside) block(d *showdiff.Diff) string {
	var lines []string
	for _, line := range b.lines {
		if linetext.TrimBlanks(line) == "" {
			line = d.Signed(line, "")
		}
		lines = append(lines, "  "+line)
	}
	return fmt.Sprintf("line %d, %s:\n%s", b.line, b, strings.Join(lines, "\n"))
}

package match

import (
	"fmt"
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
	"redline/edits/internal/showdiff"
)

// maxBeside is how many lines above or below a place may be needed to tell it from
// others.
const maxBeside = 3

// beside is the text that only one of several places has: lines above or below it, the
// whole of its own line, or both.
type beside struct {
	line  int  // where the place starts, counted from 1
	own   bool // the place is a part of its line, and lines has the whole line
	there bool // lines has the place's own lines, as the file has them
	above int  // how many lines above
	below int  // how many lines below
	lines []string
}

// String names the lines: "the whole line", "the line above" …
func (b beside) String() string {
	n, side := b.above, "above"
	if b.below > 0 {
		n, side = b.below, "below"
	}
	what := "the line " + side
	switch {
	case n == 0 && b.there:
		return asTheFile
	case n == 0:
		return "the whole line"
	case n > 1:
		what = fmt.Sprintf("the %d lines %s", n, side)
	}
	switch {
	case b.there:
		what = asTheFile + " and " + what
	case b.own:
		what = "the whole line and " + what
	}
	return what
}

// tellApart returns, for each place, the least text that none of the others has: the
// rest of its line, else lines above or below. It leaves out a place without such text.
func tellApart(text string, places []edits.Span) []beside {
	l := edits.NewLines(text)
	var out []beside
	for _, p := range places {
		if b, ok := besideOf(l, p, places); ok {
			out = append(out, b)
		}
	}
	return out
}

// besideOf returns the text that tells a place from the others.
func besideOf(l *edits.Lines, p edits.Span, places []edits.Span) (beside, bool) {
	first, last := linesOf(l, p)
	b := beside{line: first + 1}
	own := []string(nil)
	if rest := restOf(l, p); rest[0] != "" || rest[1] != "" {
		if first != last {
			return b, false // it begins or ends inside a line, which alone does not say enough
		}
		own = []string{l.Content(first).Of(l.Text())}
		if onlyOne(l, places, rest, restOf) {
			b.own, b.lines = true, own
			return b, shows(b.lines)
		}
	}
	for n := 1; n <= maxBeside; n++ {
		for _, above := range []bool{true, false} {
			key := func(l *edits.Lines, p edits.Span) [3]string {
				rest := restOf(l, p)
				if own == nil && above { // that side of the place is not added to it
					rest[1] = ""
				} else if own == nil {
					rest[0] = ""
				}
				return [3]string{rest[0], rest[1], strings.Join(linesBeside(l, p, n, above), "\n") + "\n"}
			}
			lines := linesBeside(l, p, n, above)
			if len(lines) < n || above && lines[0] == "" { // "\n" alone would be the end of any line
				continue
			}
			if !shows(lines) || !shows(own) || !onlyOne(l, places, key(l, p), key) {
				continue
			}
			b.own = own != nil
			if above {
				b.above, b.lines = n, slices.Concat(lines, own)
			} else {
				b.below, b.lines = n, slices.Concat(own, lines)
			}
			return b, true
		}
	}
	return b, false
}

// onlyOne reports whether no more than one place has a key.
func onlyOne[K comparable](l *edits.Lines, places []edits.Span, key K, of func(*edits.Lines, edits.Span) K) bool {
	n := 0
	for _, p := range places {
		if of(l, p) == key {
			n++
		}
	}
	return n < 2
}

// linesOf returns the first and the last line of a place.
func linesOf(l *edits.Lines, p edits.Span) (first, last int) {
	return l.LineOf(p.Start), l.LineOf(max(p.Start, p.End-1))
}

// restOf returns the text before a place in its first line, and after it in its last
// line.
func restOf(l *edits.Lines, p edits.Span) [2]string {
	first, last := linesOf(l, p)
	after := l.Content(last)
	return [2]string{l.Text()[l.Start(first):p.Start], l.Text()[min(p.End, after.End):after.End]}
}

// linesBeside returns up to n lines above or below a place, without their line ends.
func linesBeside(l *edits.Lines, p edits.Span, n int, above bool) []string {
	first, last := linesOf(l, p)
	from, to := first-n, first
	if !above {
		from, to = last+1, last+1+n
	}
	var out []string
	for i := max(from, 0); i < min(to, l.Count()) && l.Line(i).Len() > 0; i++ {
		out = append(out, l.Content(i).Of(l.Text()))
	}
	return out
}

// shows reports whether a message can quote the lines.
func shows(lines []string) bool {
	return !slices.ContainsFunc(lines, func(line string) bool { return len(line) > showdiff.MaxLine || edits.Visible(line) != line })
}

// tellingApart quotes the text that tells the places apart. It returns "" if there is
// none, or if there are too many places.
func (r *Refusal) tellingApart() string {
	if r.Count > len(r.places) {
		return ""
	}
	d := showdiff.New()
	var places []beside
	if r.Step == StepExact || r.Step == "" {
		places = tellApart(r.text, r.places)
	} else {
		places = r.forgivingApart()
	}
	var blocks []string
	size := 0
	for _, b := range places {
		block := b.block(d)
		if size += len(block); size > showdiff.MaxSize {
			break
		}
		blocks = append(blocks, block)
	}
	if len(blocks) == 0 {
		return ""
	}
	return " This tells them apart:\n" + strings.Join(blocks, "\n") + "\n" + d.Legend()
}

// fits reports whether the text to replace, with the lines of b, is in one place only.
// That may be false after a step that forgives something.
func (r *Refusal) fits(b beside) bool {
	lines := strings.Join(b.lines, "\n")
	old := linetext.Content(r.old)
	if b.own {
		return false
	}
	if b.above > 0 {
		old = lines + "\n" + old
	} else {
		old += "\n" + lines
	}
	m, err := Find(r.text, old, Where{})
	return err == nil && len(m.Spans) == 1
}

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

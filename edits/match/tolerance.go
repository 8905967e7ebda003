package match

import (
	"slices"
	"strings"
	"unicode/utf8"

	"redline/edits"
	"redline/edits/adapt"
	"redline/edits/internal/linetext"
)

// flat returns text with "\n" at the end of each line, the last one too, and without
// trailing spaces. It has as many lines as text.
func flat(text string) string {
	if text == "" {
		return ""
	}
	cr := strings.IndexByte(text, '\r') >= 0
	if !cr && !strings.Contains(text, " \n") && !strings.Contains(text, "\t\n") && linetext.TrimBlanks(text) == text {
		if text[len(text)-1] == '\n' {
			return text
		}
		return text + "\n"
	}
	if cr && linetext.HasLoneCR(text) {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	b := make([]byte, 0, len(text)+1)
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		b = append(append(b, linetext.TrimBlanks(strings.TrimSuffix(line, "\r"))...), '\n')
		text = rest
	}
	return string(b)
}

// relative replaces the indentation of each line of a flat text by the difference to the
// last line before it that is not empty: the removed part, "\r", the added part, "\r".
// Two texts that are shifted by the same indentation then differ in their first lines
// only. A flat text has no "\r" of its own.
func relative(flat string) string {
	b := make([]byte, 0, len(flat)+len(flat)/8)
	last := ""
	for flat != "" {
		line, rest, _ := strings.Cut(flat, "\n")
		flat = rest
		if line != "" {
			indent := linetext.IndentOf(line)
			if indent == last {
				b = append(b, '\r', '\r')
			} else {
				n := linetext.CommonPrefix(indent, last)
				b = append(append(b, last[n:]...), '\r')
				b = append(append(b, indent[n:]...), '\r')
				last = indent
			}
			b = append(b, line[len(indent):]...)
		}
		b = append(b, '\n')
	}
	return string(b)
}

// unfolder finds the places of a text that were found in its flat or plain form. It
// only goes forward, line by line, so that all places together cost one pass.
type unfolder struct {
	text             string
	plain            bool // columns are those of plain(text)
	lone             bool // a line ends with "\r" alone
	line             int  // the current line, counted from 0
	start, end, next int  // where the line starts (after a byte order mark), where its line end starts, and where the next line starts
	col, at          int  // a column in that line, in bytes of the folded line, and its offset
}

// newUnfolder returns an unfolder at the start of a stretch of text.
func newUnfolder(text string, r *stretch) *unfolder {
	u := &unfolder{text: text, plain: r.plain, lone: linetext.HasLoneCR(r.text)}
	u.enter(r.End - len(r.text))
	return u
}

// enter moves to the line that starts at the offset.
func (u *unfolder) enter(start int) {
	u.start, u.end, u.next, u.col, u.at = start, len(u.text), len(u.text), 0, start
	i := strings.IndexByte(u.text[start:], '\n')
	if u.lone {
		i = linetext.IndexEnd(u.text[start:])
	}
	if i < 0 {
		return
	}
	u.end = start + i
	if i > 0 && u.text[u.end] == '\n' && u.text[u.end-1] == '\r' {
		u.end--
	}
	u.next = u.end + len(linetext.EndAt(u.text, u.end))
}

// seek moves forward to a line, counted from 0. The line after the last one is empty,
// at the end of the text.
func (u *unfolder) seek(line int) {
	for ; u.line < line; u.line++ {
		u.enter(u.next)
	}
}

// offset returns the offset of a column of the line.
func (u *unfolder) offset(col int) int {
	if !u.plain {
		return u.start + col
	}
	if col < u.col {
		u.col, u.at = 0, u.start
	}
	for u.col < col {
		_, size, width := linetext.PlainRune(u.text[u.at:])
		if u.col+width > col {
			return u.at + col - u.col // inside a character, where no place is
		}
		u.at += size
		u.col += width
	}
	return u.at
}

// inOtherUnits is the step that also forgives another unit of indentation: tabs for
// spaces, spaces for tabs, two spaces for four. One scale must fit all lines.
func inOtherUnits(s *search) {
	old := linetext.Indents(linetext.Contents(linetext.Split(linetext.WithoutBOM(s.old))))
	if !linetext.SeveralDepths(old) {
		return // a shift, if anything
	}
	if s.lines == nil {
		s.lines = s.stretchesOf(isLineEnd, false)
	}
	budget := maxScaled
	findShifted(s, s.lines, newWanted(s.old), indented{
		encode: stepped,
		head:   func(string) int { return 1 },
		fits: func(place edits.Span) bool {
			if budget -= len(old); budget < 0 {
				return false
			}
			return adapt.SameDepths(old, linetext.Indents(linetext.Contents(linetext.Split(place.Of(s.text)))))
		},
	})
	if budget < 0 { // there may be more places than it has compared
		s.places, s.count = nil, 0
	}
}

// maxScaled is how many lines the step compares among the places that hold the same
// text.
const maxScaled = 1 << 18

// stepped replaces the indentation of each line of a flat text by a sign: deeper than, as
// deep as, or less deep than the last line before it that is not empty. Lines that are
// equally deep in two units are then the same. A flat text has no "\r" of its own.
func stepped(flat string) string {
	b := make([]byte, 0, len(flat)+len(flat)/8)
	last := ""
	for flat != "" {
		line, rest, _ := strings.Cut(flat, "\n")
		flat = rest
		if line != "" {
			indent := linetext.IndentOf(line)
			b = append(b, depthStep(last, indent), '\r')
			b = append(b, line[len(indent):]...)
			last = indent
		}
		b = append(b, '\n')
	}
	return string(b)
}

// depthStep returns '>', '<' or '=': an indentation compared with the one before it. A
// tab is deeper than any spaces.
func depthStep(before, indent string) byte {
	if before == indent {
		return '='
	}
	x, y := leadingTabs(before), leadingTabs(indent)
	if y > x || y == x && len(indent) > len(before) {
		return '>'
	}
	return '<'
}

// leadingTabs returns how many tabs an indentation starts with.
func leadingTabs(indent string) int { return len(indent) - len(strings.TrimLeft(indent, "\t")) }

// indentation is the step that also forgives another indentation: all lines that are
// not blank are shifted by the same spaces or tabs. It finds whole lines only.
func indentation(s *search) {
	if s.lines == nil {
		s.lines = s.stretchesOf(isLineEnd, false)
	}
	findShifted(s, s.lines, newWanted(s.old), byShift)
}

// indented is a way in which the lines of a place may be indented differently.
type indented struct {
	encode func(flat string) string    // a flat text in which lines that are alike are the same
	head   func(body string) int       // length of the part of an encoded text that says how deep its first line is
	fits   func(place edits.Span) bool // whether a place counts; nil: each does
}

// byShift is for lines that are all shifted by the same spaces or tabs.
var byShift = indented{encode: relative, head: func(body string) int { return 1 + len(linetext.IndentOf(body)) }}

// findShifted finds the wanted text in whole lines of flat stretches, with another
// indentation.
func findShifted(s *search, stretches []*stretch, w wanted, by indented) {
	if w.blank {
		return
	}
	body := strings.TrimLeft(w.flat, "\n")
	above := len(w.flat) - len(body) // blank lines
	needle := by.encode(body)
	if w.open {
		// encode ends every line.
		if needle = strings.TrimSuffix(needle, "\n"); strings.HasSuffix(body, "\n") {
			needle += "\n"
		}
	}
	// In the first line, everything but the indentation counts.
	needle = needle[by.head(body):]
	for _, r := range stretches {
		if !w.first || r.Start == 0 {
			findShiftedIn(s, r, w, needle, above, by)
		}
	}
}

func findShiftedIn(s *search, r *stretch, w wanted, needle string, above int, by indented) {
	text := by.encode(r.folded())
	from, to := newUnfolder(s.text, r), newUnfolder(s.text, r)
	in := lineOf{text: text}
	s.each(text, needle, func(at int) bool {
		line, start := in.seek(at)
		top := start - above
		if top < 0 || strings.Trim(text[top:start], "\n") != "" || top > 0 && text[top-1] != '\n' || w.first && top > 0 {
			return false
		}
		if end := at + len(needle); w.open && end < len(text) && text[end] != '\n' {
			return false
		}
		from.seek(line - above)
		p := edits.Span{Start: from.start}
		if to.seek(line - above + w.lines - 1); w.open {
			p.End = to.end
		} else {
			p.End = to.next
		}
		return (by.fits == nil || by.fits(p)) && s.found(p)
	})
}

// lineEndings is the step that forgives other line ends, other spaces before
// them, and a byte order mark at the start.
func lineEndings(s *search) {
	if s.lines == nil {
		s.lines = s.stretchesOf(isLineEnd, false)
	}
	findFlat(s, s.lines, newWanted(s.old))
}

// isLineEnd reports whether r ends a line.
func isLineEnd(r rune) bool { return r == '\n' || r == '\r' }

// wanted is the text to find, in the form that the steps after the first one need.
type wanted struct {
	flat  string // without the last "\n" if open is true
	lines int    // the number of lines
	open  bool   // the last line has no line end
	blank bool   // there is no text besides spaces and line ends
	tail  string // if open is true: the spaces at its end
	first bool   // it has a byte order mark, so it must be at the start of the text
	whole bool   // its first line is blank
}

func newWanted(old string) wanted {
	text := linetext.WithoutBOM(old)
	w := wanted{flat: flat(text), first: text != old}
	w.lines = strings.Count(w.flat, "\n")
	w.blank = strings.Trim(linetext.Plain(w.flat), " \t\n") == ""
	w.whole = strings.HasPrefix(w.flat, "\n") && text != "" && (text[0] == ' ' || text[0] == '\t')
	if end := text[max(len(text)-1, 0):]; end != "\n" && end != "\r" {
		w.open = true
		w.flat = strings.TrimSuffix(w.flat, "\n")
		w.tail = text[len(linetext.TrimBlanks(text)):]
	}
	return w
}

// findFlat finds the wanted text in flat stretches. It finds no blank text: only the
// exact step does.
func findFlat(s *search, stretches []*stretch, w wanted) {
	if w.blank {
		return
	}
	for _, r := range stretches {
		if !w.first || r.Start == 0 {
			findFlatIn(s, r, w)
		}
	}
}

func findFlatIn(s *search, r *stretch, w wanted) {
	text := r.folded()
	from, to := newUnfolder(s.text, r), newUnfolder(s.text, r)
	in := lineOf{text: text}
	last := strings.LastIndexByte(w.flat, '\n') + 1
	s.each(text, w.flat, func(at int) bool {
		line, start := in.seek(at)
		if w.first && at > 0 || w.whole && at > start {
			return false
		}
		end := at + len(w.flat)
		ended := end == len(text) || text[end] == '\n'
		if !ended && !strings.HasPrefix(text[end:], w.tail) {
			return false
		}
		from.seek(line)
		p := edits.Span{Start: from.offset(at - start)}
		if at > start && text[at] == '\n' {
			p.Start = from.end // the line's own spaces are before it
		}
		if !w.open {
			to.seek(line + w.lines)
			p.End = to.start
			return s.found(p)
		}
		to.seek(line + w.lines - 1)
		if p.End = to.end; !ended {
			if last > 0 {
				start = at + last
			}
			p.End = to.offset(end + len(w.tail) - start)
		}
		return s.found(p)
	})
}

// lookAlikes is the step that also treats Unicode quotes, dashes and spaces as ASCII
// ones, besides what lineEndings forgives.
func lookAlikes(s *search) {
	findFlat(s, s.lookStretches(), newWanted(linetext.Plain(s.old)))
}

// indentedLookAlikes forgives what lookAlikes and indentation forgive.
func indentedLookAlikes(s *search) {
	findShifted(s, s.lookStretches(), newWanted(linetext.Plain(s.old)), byShift)
}

// lookStretches returns the stretches in which look-alikes can be found.
func (s *search) lookStretches() []*stretch {
	if s.look == nil {
		s.look = s.stretchesOf(hasLook, true)
		if linetext.Plain(s.old) == s.old {
			s.look = slices.DeleteFunc(s.look, func(r *stretch) bool { return linetext.Plain(r.text) == r.text })
		}
	}
	return s.look
}

// hasLook reports whether r is white space, or looks like an ASCII character.
func hasLook(r rune) bool {
	switch r {
	case '\'', '"', '-', ' ', '\t', '\n', '\r':
		return true
	}
	if r < utf8.RuneSelf {
		return false
	}
	_, size, width := linetext.PlainRune(string(r))
	return width < size
}

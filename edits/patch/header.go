package patch

import (
	"strings"
	"unicode"

	"redline/edits"
)

// maxHeaders is in how many places a context header may be.
const maxHeaders = 100

// regions returns where in a text a chunk may start whose context headers, the
// outermost first, are given: each in the block that its line opens, or after
// its line if it opens none. The error says which header is no line of the
// text.
func regions(text string, headers []string) ([]edits.Span, error) {
	l := edits.NewLines(text)
	in := []edits.Span{{Start: 0, End: len(text)}}
	for i, header := range headers {
		lines := headerLines(l, header, in, i > 0)
		switch {
		case len(lines) == 0 && i > 0:
			return nil, reasonf("The context header %s is not a line of the file below %s. Give the line as it is in the file, or leave the header out and give more lines around the change.", quoted(header), quoted(headers[i-1]))
		case len(lines) == 0:
			return nil, reasonf("The context header %s is not a line of the file. Give the line as it is in the file, or leave the header out and give more lines around the change.", quoted(header))
		case len(lines) > maxHeaders:
			return nil, reasonf("The context header %s is on more than %d lines of the file. Give a line that is there only once.", quoted(header), maxHeaders)
		}
		in = in[:0:0]
		for _, line := range lines {
			in = append(in, edits.Span{Start: l.Line(line).Start, End: blockEnd(l, line)})
		}
	}
	return in, nil
}

// inRegions tells whether a chunk that starts at offset is in one of them.
func inRegions(offset int, in []edits.Span) bool {
	for _, r := range in {
		if r.Start <= offset && offset < r.End {
			return true
		}
	}
	return false
}

// headerLines returns the lines in the regions, counted from 0, that a context
// header names: those that are the same but for blanks around them, else those
// that begin with it. below leaves out the first line of each region, which is
// that of the header above.
func headerLines(l *edits.Lines, header string, in []edits.Span, below bool) []int {
	var same, begun []int
	header = strings.TrimSpace(header)
	for i := range l.Count() {
		s := l.Content(i)
		line := strings.TrimSpace(l.Text()[s.Start:s.End])
		if !strings.HasPrefix(line, header) || !inRegions(s.Start, in) || below && startsRegion(s.Start, in) {
			continue
		}
		rest := line[len(header):]
		switch {
		case rest == "":
			same = append(same, i)
		case !isWord(header[len(header)-1:]) || !isWord(rest):
			begun = append(begun, i)
		}
		if len(same) > maxHeaders {
			break
		}
	}
	if len(same) > 0 {
		return same
	}
	return begun
}

func startsRegion(offset int, in []edits.Span) bool {
	for _, r := range in {
		if r.Start == offset {
			return true
		}
	}
	return false
}

// isWord tells whether s begins with a character of a word.
func isWord(s string) bool {
	for _, r := range s {
		return isWordRune(r)
	}
	return false
}

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// blockEnd returns where the block ends that a line opens: behind the lines
// below it that are further in, and the one that closes it. A line that opens
// none is taken to open the rest of the text.
func blockEnd(l *edits.Lines, line int) int {
	own := indent(l, line)
	opened := false
	for i := line + 1; i < l.Count(); i++ {
		s := l.Content(i)
		text := strings.TrimSpace(l.Text()[s.Start:s.End])
		switch {
		case text == "":
		case indent(l, i) > own:
			opened = true
		case !opened:
			return len(l.Text())
		case closes(text):
			return l.Line(i).End
		default:
			return s.Start
		}
	}
	return len(l.Text())
}

// closes tells whether a line ends the block above it.
func closes(line string) bool {
	switch line[0] {
	case '}', ')', ']':
		return true
	}
	word, _, _ := strings.Cut(strings.TrimRight(line, ";"), " ")
	return word == "end" || word == "fi" || word == "done" || word == "esac"
}

// indent returns how many columns a line is in.
func indent(l *edits.Lines, line int) int {
	s := l.Content(line)
	n := 0
	for _, c := range []byte(l.Text()[s.Start:s.End]) {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		default:
			return n
		}
	}
	return n
}

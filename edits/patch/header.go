package patch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"redline/edits"
	"redline/edits/match"
)

// maxHeaders is how many places a context header may have.
const maxHeaders = 100

// regions returns where a chunk with these context headers may start, outermost header
// first: each header is in the block that the line of the header above it opens, or after
// that line if it opens none. The error names the header that is not a line of the text
// (noHeader), is not below the header above, or has too many places.
func regions(path, text string, headers []string) ([]edits.Span, error) {
	l := edits.NewLines(text)
	in := whole(text)
	for i, header := range headers {
		lines := headerLines(l, header, in, i > 0)
		switch {
		case len(lines) == 0 && i > 0 && len(headerLines(l, header, whole(text), false)) > 0:
			return nil, reasonf("The context header %s is not a line of the file below %s. Give the line as it is in the file, or leave the header out and give more lines around the change.", quoted(header), quoted(headers[i-1]))
		case len(lines) == 0:
			return nil, noHeader(fmt.Sprintf("The context header %s is not a line of the file. Give the line as it is in the file, or leave the header out and give more lines around the change.", quoted(header)))
		case len(lines) > maxHeaders:
			return nil, reasonf("The context header %s is on more than %d lines of the file. Give a line that is there only once.", quoted(header), maxHeaders)
		}
		outer := in
		in = nil
		for _, line := range lines {
			r := edits.Span{Start: l.Line(line).Start, End: blockEnd(path, l, line)}
			r.End = min(r.End, endAround(r.Start, outer))
			in = append(in, r)
		}
	}
	return in, nil
}

// noHeader is the error for a context header that is not a line of the text.
type noHeader string

func (n noHeader) Error() string { return string(n) }

// whole returns the region that is all of a text.
func whole(text string) []edits.Span { return []edits.Span{{Start: 0, End: len(text)}} }

// headed returns where a chunk with this heading may start, or nil if the heading is
// not a line of the text. Programs write the last heading above a chunk, so the chunk
// may start below what the heading opens, but not below the next heading.
func headed(path, text, heading string) []edits.Span {
	in, err := regions(path, text, []string{heading})
	if err != nil {
		return nil
	}
	l := edits.NewLines(text)
	for i := range in {
		own := indent(l, l.LineOf(in[i].Start))
		for line := l.LineOf(in[i].End); line < l.Count(); line++ {
			s := l.Content(line)
			in[i].End = min(s.Start+1, len(text))
			if indent(l, line) <= own && isNext(path, heading, strings.TrimSpace(text[s.Start:s.End])) {
				break
			}
		}
	}
	return in
}

// endAround returns the end of the last region around an offset.
func endAround(offset int, in []edits.Span) (end int) {
	for _, r := range in {
		if r.Start <= offset && offset < r.End {
			end = max(end, r.End)
		}
	}
	return end
}

// inRegions reports whether a chunk that starts at offset is in one of them.
func inRegions(offset int, in []edits.Span) bool {
	return slices.ContainsFunc(in, func(r edits.Span) bool { return r.Start <= offset && offset < r.End })
}

// headerLines returns the lines in the regions that a context header names, counted from
// 0: those that differ only in the spaces around them, else those that begin with it.
// below leaves out the first line of each region, which is the line of the header above.
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
	return slices.ContainsFunc(in, func(r edits.Span) bool { return r.Start == offset })
}

// isWord reports whether s begins with a letter, a digit or an underscore.
func isWord(s string) bool {
	for _, r := range s {
		return isWordRune(r)
	}
	return false
}

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// blockEnd returns where the block of a line ends: after the lines below it that are
// indented more, and the line that closes it. A line that opens no block gets the rest
// of the text. Lines that are not indented more can still be in the block, such as
// those of a text in it, of a preprocessor, a comment or a label. They do not end a
// block that a bracket opens.
func blockEnd(path string, l *edits.Lines, line int) int {
	if end, ok := sectionEnd(path, l, line); ok {
		return end
	}
	own := indent(l, line)
	opens := bracket(strings.TrimSpace(content(l, line)))
	below := !strings.HasSuffix(strings.TrimSpace(content(l, line)), ";") // a bracket below may be the header's
	quotes := quotes
	if !opens {
		quotes = quotes[:2]
	}
	opened, quote := false, quoteAfter(content(l, line), "", quotes)
	for i := line + 1; i < l.Count(); i++ {
		raw := content(l, i)
		text := strings.TrimSpace(raw)
		within := quote != ""
		quote = quoteAfter(raw, quote, quotes)
		switch {
		case text == "" || within || isComment(text):
		case indent(l, i) > own:
			opened = true
		case !opened && !opens && below && text == "{" && indent(l, i) == own:
			opens = true
		case !opened && !opens:
			return len(l.Text())
		case closes(text):
			return l.Line(i).End
		case !opens:
			return l.Content(i).Start
		}
	}
	return len(l.Text())
}

// content returns a line without its line end.
func content(l *edits.Lines, line int) string {
	s := l.Content(line)
	return l.Text()[s.Start:s.End]
}

// isComment reports whether a line is a comment or a preprocessor directive.
func isComment(line string) bool {
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//")
}

// bracket reports whether a line ends with a bracket that it opens.
func bracket(line string) bool {
	return line != "" && strings.IndexByte("{([", line[len(line)-1]) >= 0
}

// quotes are the marks around texts of several lines. A backquote counts only where
// brackets make blocks.
var quotes = []string{"\"\"\"", "'''", "`"}

// quoteAfter returns the mark that closes the text of several lines in which a line
// ends, or "". quote is that of the line above.
func quoteAfter(line, quote string, quotes []string) string {
	for {
		if quote != "" {
			_, rest, ok := strings.Cut(line, quote)
			if !ok {
				return quote
			}
			line, quote = rest, ""
		}
		first := len(line)
		for _, q := range quotes {
			if i := strings.Index(line, q); i >= 0 && i < first {
				first, quote = i, q
			}
		}
		if quote == "" {
			return ""
		}
		line = line[first+len(quote):]
	}
}

// closes reports whether a line ends the block above it.
func closes(line string) bool {
	switch line[0] {
	case '}', ')', ']':
		return true
	}
	word, _, _ := strings.Cut(strings.TrimRight(line, ";"), " ")
	return word == "end" || word == "fi" || word == "done" || word == "esac"
}

// indent returns how many columns a line is indented.
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

// headers holds where a chunk may start by its context headers. They tell several places
// apart; a single place counts wherever they are.
type headers struct {
	in      []edits.Span // regions that Chunk.Within opens; nil for no header, or if unclear
	nearer  []edits.Span // of these, the regions that Chunk.below opens too; nil if unclear
	unclear error        // why they do not tell places apart
}

// headers reads the context headers of a chunk. The error names one that is not a line of
// the text: the file may be the wrong one.
func (c *Chunk) headers(text string) (h headers, err error) {
	if len(c.Within) > 0 {
		h.in, h.unclear = regions(c.path, text, c.Within)
		if missing, ok := errors.AsType[noHeader](h.unclear); ok {
			return headers{}, missing
		}
	}
	if len(c.below) > 0 {
		h.nearer, _ = regions(c.path, text, slices.Concat(c.below, c.Within))
	}
	return h, nil
}

// check refuses the only place of a chunk if the chunk belongs elsewhere: at the end of
// the file, or where its header is, if the text there is nearly the same.
func (c *Chunk) check(text string, place edits.Span, h headers) error {
	line := strings.Count(text[:place.Start], "\n") + 1
	if c.AtEnd && place.End != len(text) {
		return reasonf("The text to replace is on line %d, but not at the end of the file, as the patch says. Nothing was changed. Leave out the line that says that it is the end, or read the end of the file again.", line)
	}
	if h.in == nil || inRegions(place.Start, h.in) {
		return nil
	}
	for _, r := range merged(h.in) {
		m, err := match.Find(text[r.Start:r.End], c.Old, match.Where{Lines: true})
		if several, ok := errors.AsType[*match.Refusal](err); err != nil && (!ok || several.Reason != match.ReasonSeveral) {
			continue
		}
		near := strings.Count(text[:r.Start], "\n") + 1
		if err == nil {
			near += strings.Count(text[r.Start:r.Start+m.Spans[0].Start], "\n")
		}
		return reasonf("The text to replace is on line %d, which is not inside or below %s, and nearly the same text is there, on line %d. Nothing was changed. Correct the context header, or give the text word for word as it is at the place that you mean.", line, quoted(c.Within[len(c.Within)-1]), near)
	}
	return nil
}

// merged joins overlapping regions, which are sorted by their starts.
func merged(in []edits.Span) (out []edits.Span) {
	for _, r := range in {
		if n := len(out); n > 0 && r.Start <= out[n-1].End {
			out[n-1].End = max(out[n-1].End, r.End)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// narrow returns those of several places that the chunk can mean: it drops those that the
// chunk excludes, and then chooses by line number or heading.
func (c *Chunk) narrow(text string, places []edits.Span, h headers, numbered bool) []edits.Span {
	places = slices.DeleteFunc(slices.Clone(places), func(s edits.Span) bool {
		return h.in != nil && !inRegions(s.Start, h.in) || c.AtEnd && s.End != len(text)
	})
	if len(places) < 2 {
		return places
	}
	if numbered {
		line, at := 1, 0
		for _, s := range places {
			line += strings.Count(text[at:s.Start], "\n")
			if at = s.Start; line == c.Line {
				return []edits.Span{s}
			}
		}
	}
	if c.Heading != "" {
		if near := inside(places, headed(c.path, text, c.Heading)); len(near) > 0 {
			return near
		}
	}
	if near := inside(places, h.nearer); len(near) > 0 {
		return near
	}
	return places
}

// inside returns the places that start in one of the regions.
func inside(places, in []edits.Span) []edits.Span {
	return slices.DeleteFunc(slices.Clone(places), func(s edits.Span) bool { return !inRegions(s.Start, in) })
}

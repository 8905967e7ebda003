package edits

import (
	"fmt"
	"slices"
	"strings"

	"redline/edits/internal/linetext"
)

// indentation is the step that also forgives another indentation: all lines
// that are not blank have the same blanks more, less or instead. It finds
// whole lines only.
func indentation(s *search) {
	if s.lines == nil {
		s.lines = s.stretchesOf(isLineEnd, false)
	}
	findShifted(s, s.lines, newWanted(s.old), byShift)
}

// indented is a way for lines to be indented otherwise than those that are wanted.
type indented struct {
	encode func(flat string) string // a flat text in which lines that are alike are the same
	head   func(body string) int    // how much of an encoded text says how deep its first line is
	fits   func(place Span) bool    // whether a place counts; nil: each does
}

// byShift: all lines have the same blanks more, less or instead.
var byShift = indented{encode: relative, head: func(body string) int { return 1 + len(linetext.IndentOf(body)) }}

// findShifted finds what is wanted in flat stretches, in whole lines and
// indented otherwise.
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
	// Of the first line everything counts but its indentation.
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
		p := Span{Start: from.start}
		if to.seek(line - above + w.lines - 1); w.open {
			p.End = to.end
		} else {
			p.End = to.next
		}
		return (by.fits == nil || by.fits(p)) && s.found(p)
	})
}

// shift is how a place is indented otherwise than what was asked for: it has
// put where that has drop.
type shift struct{ drop, put string }

// shiftOf returns the shift from a line that was asked for to the line that
// was found, given the indentation that all lines that were asked for have in
// common.
func shiftOf(asked, found, common string) shift {
	b := strings.TrimSuffix(found, asked[len(common):])
	switch {
	case strings.HasSuffix(b, common):
		return shift{"", b[:len(b)-len(common)]}
	case strings.HasSuffix(common, b):
		return shift{common[:len(common)-len(b)], ""}
	}
	return shift{common, b}
}

// apply returns the indentation that the line p of a new text gets in a place,
// or why it can get none. mixes tells that a line there is indented with both
// tabs and spaces.
func (s shift) apply(p linetext.Parts, mixes bool) (indent, why string) {
	if p.Body == "" || s == (shift{}) {
		return p.Indent, ""
	}
	rest, ok := strings.CutPrefix(linetext.Plain(p.Indent), s.drop)
	if !ok {
		return "", fmt.Sprintf("the new line %q is indented less than all lines of the text to replace", clip(p.String()))
	}
	indent = s.put + rest
	if mixed(indent) && !mixes {
		return "", fmt.Sprintf("the new line %q would be indented with both tabs and spaces", clip(p.String()))
	}
	return indent, ""
}

// anyMixed reports whether a line is indented with both tabs and spaces.
func anyMixed(lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return mixed(linetext.PartsOf(line).Indent) })
}

// mixed reports whether an indentation has both tabs and spaces.
func mixed(indent string) bool {
	return strings.Contains(indent, " ") && strings.Contains(indent, "\t")
}

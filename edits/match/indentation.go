package match

import (
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

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

package match

import (
	"strings"

	"redline/edits"
	"redline/edits/internal/linetext"
)

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

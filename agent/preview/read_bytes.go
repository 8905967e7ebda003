package preview

import (
	"strings"

	"redline/edits"
	"redline/internal/lazyregexp"
)

// shown is a line that the user put in a preview in place of others: its text, and whether it is
// marked as having no line end.
type shown struct {
	line int // line of the preview, from 0
	text string
	open bool
}

// escapeForm matches a character that [edits.Visible] has escaped.
var escapeForm = lazyregexp.New(`⟨(?:U\+[0-9A-F]{4,6}|0x[0-9A-F]{2})⟩`)

const escapeReason = "This line has a character that is written out here since it would not be seen: leave the line as it is, or remove it."

// restorer finds the bytes of lines that a preview shows in another form.
type restorer struct {
	norm func(string) string // returns the part of a page's line that is compared
}

// see returns a line of a text, with or without its line end, in the form that the page shows.
func (r restorer) see(raw string) string {
	return r.norm(strings.TrimRight(edits.Visible(strings.TrimSuffix(raw, "\n")+"\n"), "\r\n"))
}

// restore returns the bytes of lines. was has the lines that were in their place, and others
// lines that may have moved there. A line that looks unchanged keeps its bytes. Any other line
// is used as written, with the line end of the line that was in its place, or end. A line with
// an escape that is in neither list is a problem: it is unclear whether it means the character
// or its name.
func (r restorer) restore(lines []shown, was, others []string, end string) ([]string, []Problem) {
	var problems []Problem
	byText := map[string]string{} // without line ends
	for _, raw := range others {
		byText[r.see(raw)] = strings.TrimSuffix(raw, endOf(raw))
	}
	pairs := r.pairs(lines, was)
	out := make([]string, len(lines))
	for i, l := range lines {
		raw := l.text
		if p := pairs[i]; p.same {
			raw = was[p.was]
		} else {
			if content, ok := byText[l.text]; ok {
				raw = content
			} else if escapeForm().MatchString(l.text) {
				problems = append(problems, Problem{Line: l.line, Reason: escapeReason})
			}
			if p.was >= 0 {
				raw += endOf(was[p.was])
			}
		}
		if e := endOf(raw); e != "" {
			end = e
		} else {
			raw += end
		}
		if l.open {
			raw = strings.TrimSuffix(raw, endOf(raw))
		}
		out[i] = raw
	}
	return out, problems
}

// pair is the index of the line that a line replaces, -1 for none.
type pair struct {
	was  int
	same bool // both look the same on the page
}

// pairs finds, for each line, the one that was in its place.
func (r restorer) pairs(lines []shown, was []string) []pair {
	var x, y strings.Builder
	for _, raw := range was {
		x.WriteString(r.see(raw) + "\n")
	}
	for _, l := range lines {
		y.WriteString(strings.TrimRight(edits.Visible(l.text+"\n"), "\r\n") + "\n")
	}
	old, now := x.String(), y.String()
	out := make([]pair, 0, len(lines))
	at, row := 0, 0 // in old: the end of the lines done, and their number
	add := func(n int, same bool, limit int) {
		for k := range n {
			p := pair{was: row + k, same: same}
			if k >= limit {
				p.was = -1
			}
			out = append(out, p)
		}
	}
	for _, h := range edits.Diff(old, now) {
		n := strings.Count(old[at:h.Old.Start], "\n")
		add(n, true, n)
		row += n
		gone := strings.Count(h.OldText, "\n")
		add(strings.Count(h.NewText, "\n"), false, gone)
		row, at = row+gone, h.Old.End
	}
	n := strings.Count(old[at:], "\n")
	add(n, true, n)
	return out
}

// endOf returns the line end of a line.
func endOf(raw string) string {
	switch {
	case strings.HasSuffix(raw, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(raw, "\n"):
		return "\n"
	}
	return ""
}

// rowsOf returns the lines of a text, each with its "\n". As in unified diffs,
// nothing else ends a line.
func rowsOf(text string) []string {
	rows := strings.SplitAfter(text, "\n")
	return rows[:len(rows)-countEmpty(rows[len(rows)-1])]
}

func countEmpty(s string) int {
	if s == "" {
		return 1
	}
	return 0
}

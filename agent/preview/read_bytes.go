package preview

import (
	"strings"

	"redline/edits"
	"redline/internal/lazyregexp"
)

// shown is one line that the user has in a preview in place of others: its text
// there, and whether it is said to have no line end.
type shown struct {
	line int // of the preview, from 0
	text string
	open bool
}

// escapeForm is a character that [edits.Visible] has written out.
var escapeForm = lazyregexp.New(`⟨(?:U\+[0-9A-F]{4,6}|0x[0-9A-F]{2})⟩`)

const escapeReason = "This line has a character that is written out here since it would not be seen: leave the line as it is, or take it away."

// restorer finds the bytes of lines that a preview could not show as they are.
type restorer struct {
	norm func(string) string // what of a line of the page counts
}

// see is how a line of a text, with or without its line end, is on the page.
func (r restorer) see(raw string) string {
	return r.norm(strings.TrimRight(edits.Visible(strings.TrimSuffix(raw, "\n")+"\n"), "\r\n"))
}

// restore returns the bytes of lines. was are the lines that were in their
// place, and others ones that may have been put there; a line that is still as it
// was shown keeps its bytes. Any other is taken as it is written, with the line
// end of the line that was in its place, or end. A line that has an escape and is
// none of those is a problem: whether the character or its name is meant cannot
// be known.
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
				problems = append(problems, Problem{l.line, escapeReason})
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

// pair is the line that one is in the place of, -1 for none.
type pair struct {
	was  int
	same bool // they are shown alike
}

// pairs finds for each line the one that was in its place.
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
	at, row := 0, 0 // in old: what was dealt with, and how many lines that is
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

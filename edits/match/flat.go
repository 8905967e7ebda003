package match

import (
	"strings"

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

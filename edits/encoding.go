package edits

import (
	"strings"
	"unicode/utf8"

	"redline/edits/internal/linetext"
)

// Encoding is the unit in which the characters of a line are counted
// (LSP 3.17, PositionEncodingKind). "🛒" is 2 in UTF-16, 4 in UTF-8 and 1 in UTF-32.
type Encoding uint8

// The encodings of LSP. UTF16 is the default that every client speaks.
const (
	UTF16 Encoding = iota
	UTF8
	UTF32
)

// String returns the name that LSP uses: "utf-16", "utf-8" or "utf-32".
func (e Encoding) String() string {
	switch e {
	case UTF8:
		return "utf-8"
	case UTF32:
		return "utf-32"
	default:
		return "utf-16"
	}
}

// ParseEncoding returns the encoding with this LSP name. ok is false if there is none.
func ParseEncoding(name string) (e Encoding, ok bool) {
	for _, e := range []Encoding{UTF16, UTF8, UTF32} {
		if e.String() == name {
			return e, true
		}
	}
	return UTF16, false
}

// units returns how many units of the encoding a character of width bytes takes. A byte
// that is not UTF-8 counts as one character.
func (e Encoding) units(r rune, width int) int {
	switch {
	case e == UTF8:
		return width
	case e == UTF16 && r > 0xFFFF:
		return 2
	default:
		return 1
	}
}

// length returns the length of s in units of the encoding.
func (e Encoding) length(s string) int {
	if e == UTF8 {
		return len(s)
	}
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, width := utf8.DecodeRuneInString(s[i:])
		i += width
		n += e.units(r, width)
	}
	return n
}

// offset returns the byte offset that is n units from the start of s: the start of the
// character that n falls into, or the end of s if n is beyond it.
func (e Encoding) offset(s string, n int) int {
	if e == UTF8 {
		return linetext.RuneStart(s, min(n, len(s)))
	}
	i := 0
	for n > 0 && i < len(s) {
		if s[i] < utf8.RuneSelf {
			i++
			n--
			continue
		}
		r, width := utf8.DecodeRuneInString(s[i:])
		if n -= e.units(r, width); n < 0 {
			break
		}
		i += width
	}
	return i
}

// Position is a place in a text as LSP counts it: lines from 0, and
// characters from the start of the line in units of an Encoding.
type Position struct{ Line, Character int }

// Range is the text between two positions, without the character at End.
type Range struct{ Start, End Position }

// Span is the text between two byte offsets, without the byte at End.
type Span struct{ Start, End int }

// Len returns the number of bytes in the span.
func (s Span) Len() int { return s.End - s.Start }

// Of returns the bytes of text in the span.
func (s Span) Of(text string) string { return text[s.Start:s.End] }

// Moved returns the span moved by n bytes.
func (s Span) Moved(n int) Span { return Span{s.Start + n, s.End + n} }

// BOM is the byte order mark that some programs put at the start of a file. Like the mode
// of a file, it is not part of the text: most editors remove it when they read a file and
// put it back when they save it. So base, proposed and live texts, offsets and hashes
// leave it out: package workspace removes it on reading (File.BOM) and Disk puts it back.
// Where an editor shows the mark, only positions count it; see [Lines.CutMark]. A plan
// stores whether a file that it creates or deletes has a mark (plan.Change), and keeps
// the form of a file that it deleted (plan.Form), so that an undo restores that form.
const BOM = linetext.BOM

// CutBOM returns text without the byte order mark at its start, and whether there is
// one.
func CutBOM(text string) (rest string, found bool) { return strings.CutPrefix(text, BOM) }

// CutMark returns the index of the text without the byte order mark at its start, for
// an editor that shows the mark: offsets are in the text without it, positions count it
// as the first character of line 0. If there is no mark, it returns l.
func (l *Lines) CutMark() *Lines {
	if l.marked || !strings.HasPrefix(l.text, BOM) {
		return l
	}
	cut := l.Replace(Edit{Span: Span{0, len(BOM)}})
	cut.marked = true
	return cut
}

// Marked reports whether positions count a byte order mark; see CutMark.
func (l *Lines) Marked() bool { return l.marked }

// Whole undoes CutMark: it returns the index of the text as the editor shows it.
func (l *Lines) Whole() *Lines {
	if !l.marked {
		return l
	}
	whole := l.Replace(Edit{New: BOM})
	whole.marked = false
	return whole
}

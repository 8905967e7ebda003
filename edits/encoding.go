package edits

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
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

// Visible writes out the characters of s that a reader would not see, or that would
// reorder the text on the screen, as in ⟨U+202E⟩: control, format, bidirectional and
// zero-width characters, fillers, variation selectors, line and paragraph separators, and
// characters that only look like a space. Bytes that are not UTF-8 become ⟨0xFF⟩. Tabs,
// "\n", "\r\n" and the wide space of East Asian texts stay. Everything shown to the user
// before a decision goes through it (https://trojansource.codes).
func Visible(s string) string {
	return writtenOut(s, func(r rune, rest string) bool {
		return IsHidden(r) && r != '\t' && r != '\n' && !strings.HasPrefix(rest, "\r\n")
	})
}

// VisibleCommand is like [Visible], for a command line, where every character counts: the
// only white space that stays is " ", tabs and "\n".
func VisibleCommand(s string) string {
	return writtenOut(s, func(r rune, _ string) bool {
		return r == wideSpace || IsHidden(r) && r != '\t' && r != '\n'
	})
}

// VisibleLine is like [VisibleCommand], for a single line: it writes out tabs and line
// ends too.
func VisibleLine(s string) string {
	return writtenOut(s, func(r rune, _ string) bool { return r == wideSpace || IsHidden(r) })
}

// VisibleJSON returns the same JSON, escaping the characters that [VisibleCommand] writes
// out.
func VisibleJSON(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for len(data) > 0 {
		r, width := utf8.DecodeRune(data)
		if r == 0x7F || r >= utf8.RuneSelf && width > 1 && (r == wideSpace || IsHidden(r)) {
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		} else {
			out = append(out, data[:width]...)
		}
		data = data[width:]
	}
	return out
}

// writtenOut writes out the characters for which hides returns true, and bytes that are
// not UTF-8. hides gets a character and the text from it on.
func writtenOut(s string, hides func(r rune, rest string) bool) string {
	var b strings.Builder
	done := 0 // s[:done] is in b
	for i := 0; i < len(s); {
		r, width := utf8.DecodeRuneInString(s[i:])
		name := ""
		switch {
		case r == utf8.RuneError && width == 1:
			name = fmt.Sprintf("⟨0x%02X⟩", s[i])
		case hides(r, s[i:]):
			name = fmt.Sprintf("⟨U+%04X⟩", r)
		}
		if name != "" {
			b.WriteString(s[done:i])
			b.WriteString(name)
			done = i + width
		}
		i += width
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// wideSpace is the ideographic space.
const wideSpace = '\u3000'

// IsHidden reports whether a reader would not see r.
func IsHidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7F
	}
	switch r {
	case wideSpace:
		return false
	case '\u2800': // the Braille pattern without dots
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp,
		unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// tabWidth is the number of columns between tab stops.
const tabWidth = 4

// ExpandTabs replaces tabs by spaces up to the next tab stop, every four columns. Use it
// only for text that is shown: some clients render a tab at any width, or not at all
// (Helix). apart is the number of characters at the start of each line that do not count,
// such as the sign of a diff.
func ExpandTabs(text string, apart int) string {
	if !strings.Contains(text, "\t") {
		return text
	}
	var b strings.Builder
	column := -apart
	for _, r := range text {
		switch {
		case r == '\t' && column >= 0:
			n := tabWidth - column%tabWidth
			b.WriteString(strings.Repeat(" ", n))
			column += n
			continue
		case r == '\t':
			r = ' '
		}
		b.WriteRune(r)
		if column++; r == '\n' {
			column = -apart
		}
	}
	return b.String()
}

// Blank reports whether text is what an editor may show for a file that does not exist:
// nothing, or a single line end (Neovim ends every text with one).
func Blank(text string) bool { return text == "" || text == "\n" || text == "\r\n" }

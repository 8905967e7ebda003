package edits

import (
	"strings"

	"redline/edits/internal/linetext"
)

// BOM is the byte order mark that some programs put at the start of a file. It
// is the form of the file, like its mode, and no part of its text: most editors
// take it away when they read a file and put it back when they save it.
const BOM = linetext.BOM

// CutBOM returns text without the byte order mark at its start, and whether
// there was one.
func CutBOM(text string) (rest string, found bool) { return strings.CutPrefix(text, BOM) }

// CutMark returns the index of the text without the byte order mark at its
// start, for an editor that has one in its text: offsets are those of the text
// without it, positions count it as the first character of line 0. Without such
// a mark it returns l.
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

// Whole is the reverse of CutMark: the index of the text as the editor has it.
func (l *Lines) Whole() *Lines {
	if !l.marked {
		return l
	}
	whole := l.Replace(Edit{New: BOM})
	whole.marked = false
	return whole
}

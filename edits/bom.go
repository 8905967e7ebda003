package edits

import (
	"strings"

	"redline/edits/internal/linetext"
)

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

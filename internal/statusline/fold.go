package statusline

import (
	"io"
	"strings"
)

// Folder is a writer that breaks lines of prose between words where they are longer than a terminal. A
// line continues below the text of a list item, or of the second column of a table; code between
// fences, and lines that begin with a bar, stay as they are.
type Folder struct {
	out     io.Writer
	columns func() int

	done     strings.Builder // folded and not written
	word     strings.Builder
	spaces   string // before the word
	at       int    // the column after what was folded, from 0
	indent   int    // where the line goes on
	begun    bool   // the line has a word
	verbatim bool   // the line stays as it is
	fenced   bool   // it is code between fences
	stream   bool   // it is Markdown that comes in pieces
}

// NewFolder returns a writer that folds at the number of columns that columns returns at the time; 0
// means that nothing is folded. Each text that is written ends with a whole word.
func NewFolder(out io.Writer, columns func() int) *Folder {
	return &Folder{out: out, columns: columns}
}

// NewStreamFolder is like [NewFolder], for Markdown that comes in pieces: the last word is held back until
// something follows it, or Flush is called. Lines that begin with four spaces are code too.
func NewStreamFolder(out io.Writer, columns func() int) *Folder {
	return &Folder{out: out, columns: columns, stream: true}
}

// Write implements [io.Writer].
func (f *Folder) Write(p []byte) (int, error) {
	for _, r := range string(p) {
		switch r {
		case '\n':
			f.endWord()
			if f.verbatim {
				f.done.WriteString(f.spaces)
			}
			f.done.WriteByte('\n')
			f.spaces, f.at, f.indent, f.begun, f.verbatim = "", 0, 0, false, f.fenced
		case ' ', '\t':
			f.endWord()
			f.spaces += string(r)
		default:
			f.word.WriteRune(r)
		}
	}
	if !f.stream {
		return len(p), f.Flush()
	}
	return len(p), f.write()
}

// Flush writes what is held back.
func (f *Folder) Flush() error {
	f.endWord()
	f.done.WriteString(f.spaces)
	f.at += len(f.spaces)
	f.spaces = ""
	return f.write()
}

// Restart flushes, and says that what follows begins a line: somebody else has ended this one, or will.
func (f *Folder) Restart() error {
	err := f.Flush()
	f.at, f.indent, f.begun, f.verbatim, f.fenced = 0, 0, false, false, false
	return err
}

func (f *Folder) write() error {
	_, err := io.WriteString(f.out, f.done.String())
	f.done.Reset()
	return err
}

// endWord folds the word that has been read.
func (f *Folder) endWord() {
	word := f.word.String()
	if word == "" {
		return
	}
	f.word.Reset()
	columns, gap, width := f.columns(), Width(f.spaces), Width(word)
	switch {
	case !f.begun && f.at == 0:
		f.begin(word, gap)
	case f.at+gap+width > columns && columns > 0 && !f.verbatim && f.spaces != "" && f.at > f.indent:
		f.done.WriteString("\n" + strings.Repeat(" ", f.indent) + word)
		f.at, f.spaces = f.indent+width, ""
		return
	case gap > 1 && f.at+gap <= columns/2: // the next column of a table
		f.indent = f.at + gap
	}
	f.done.WriteString(f.spaces + word)
	f.at += gap + width
	f.spaces = ""
}

// begin looks at the first word of a line.
func (f *Folder) begin(word string, gap int) {
	f.begun, f.indent = true, gap
	if strings.HasPrefix(word, "```") {
		f.fenced = !f.fenced
		f.verbatim = true
		return
	}
	f.verbatim = f.fenced || f.stream && gap >= 4 || strings.HasPrefix(word, "|")
	if number := strings.TrimRight(word, ".)"); word == "-" || word == "*" || word == "→" || number != word && strings.Trim(number, "0123456789") == "" {
		f.indent += Width(word) + 1
	}
}

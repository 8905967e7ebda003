package lsptest

import (
	"fmt"
	"strings"

	"redline/edits"
)

// Open opens a file and tells the server; a file that does not exist is a new, empty document. It does
// nothing when the file is open.
func (e *Editor) Open(path string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := e.load(path)
	if err != nil || b.attached {
		return err
	}
	return e.attach(b)
}

// Type makes edits, by byte offsets in the text as it is and sorted, as one group for Undo.
func (e *Editor) Type(path string, es ...edits.Edit) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := e.open(path)
	if err != nil {
		return err
	}
	b.undo = append(b.undo, b.lines.Text())
	return e.change(b, es)
}

// Insert types text at a line and a byte column of it, both counted from 0.
func (e *Editor) Insert(path string, line, column int, text string) error {
	lines := edits.NewLines(e.Text(path))
	if line >= lines.Count() || column > lines.Content(line).Len() {
		return fmt.Errorf("%s has no line %d with a column %d", path, line, column)
	}
	at := lines.Line(line).Start + column
	return e.Type(path, edits.Edit{Span: edits.Span{Start: at, End: at}, New: text})
}

// Replace types new over old, which must be in the text exactly once.
func (e *Editor) Replace(path, old, new string) error {
	text := e.Text(path)
	if n := strings.Count(text, old); n != 1 {
		return fmt.Errorf("%s holds %q %d times", path, old, n)
	}
	at := strings.Index(text, old)
	return e.Type(path, edits.Edit{Span: edits.Span{Start: at, End: at + len(old)}, New: new})
}

// Undo takes the last group of changes of the file back, whoever made it: typing, or an edit of the
// server.
func (e *Editor) Undo(path string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := e.open(path)
	if err != nil {
		return err
	}
	if len(b.undo) == 0 {
		return fmt.Errorf("nothing to undo in %s", path)
	}
	before := b.undo[len(b.undo)-1]
	b.undo = b.undo[:len(b.undo)-1]
	return e.change(b, []edits.Edit{difference(b.lines.Text(), before)})
}

// Save writes the buffer to disk and tells the server if it knows the document.
func (e *Editor) Save(path string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := e.open(path)
	if err != nil {
		return err
	}
	return e.save(b)
}

// SaveAll saves every buffer with unsaved changes.
func (e *Editor) SaveAll() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, b := range e.buffers {
		if b.dirty {
			if err := e.save(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close closes the file, without its unsaved changes, and tells the server.
func (e *Editor) Close(path string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := e.open(path)
	if err != nil {
		return err
	}
	return e.forget(b)
}

package lsptest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"redline/edits"
)

// Open opens a file and tells the server; a file that does not exist is a new, empty document. It does
// nothing if the file is already open.
func (d *documents) Open(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, err := d.load(path)
	if err != nil || b.attached {
		return err
	}
	return d.attach(b)
}

// Type makes sorted edits, given by byte offsets in the current text, as one group for Undo.
func (d *documents) Type(path string, es ...edits.Edit) error {
	return d.in(path, func(b *buffer) error {
		b.undo = append(b.undo, b.lines.Text())
		return d.change(b, es)
	})
}

// in calls do with the buffer of an open file, with d.mu held.
func (d *documents) in(path string, do func(*buffer) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, ok := d.buffers[d.key(path)]
	if !ok {
		return fmt.Errorf("%s is not open", path)
	}
	return do(b)
}

// Insert types text at a line and a byte column of that line, both counted from 0.
func (d *documents) Insert(path string, line, column int, text string) error {
	lines := edits.NewLines(d.Text(path))
	if line >= lines.Count() || column > lines.Content(line).Len() {
		return fmt.Errorf("%s has no line %d with a column %d", path, line, column)
	}
	at := lines.Line(line).Start + column
	return d.Type(path, edits.Edit{Span: edits.Span{Start: at, End: at}, New: text})
}

// Replace replaces old, which must be in the text exactly once, by typing new.
func (d *documents) Replace(path, old, new string) error {
	_, at, err := d.find(path, old)
	if err != nil {
		return err
	}
	return d.Type(path, edits.Edit{Span: edits.Span{Start: at, End: at + len(old)}, New: new})
}

// Undo reverts the last group of changes of the file, whether typed or an edit of the server.
func (d *documents) Undo(path string) error {
	return d.in(path, func(b *buffer) error {
		if len(b.undo) == 0 {
			return fmt.Errorf("nothing to undo in %s", path)
		}
		before := b.undo[len(b.undo)-1]
		b.undo = b.undo[:len(b.undo)-1]
		return d.change(b, []edits.Edit{difference(b.lines.Text(), before)})
	})
}

// Save writes the buffer to disk and tells the server if it knows the document.
func (d *documents) Save(path string) error {
	return d.in(path, func(b *buffer) error { return d.save(b, manual) })
}

// AutoSave saves the file as an editor does after a delay, while the user is at work in it.
func (d *documents) AutoSave(path string) error {
	return d.in(path, func(b *buffer) error { return d.save(b, afterDelay) })
}

// FocusOut saves the file as an editor does that saves what its user turns away from.
func (d *documents) FocusOut(path string) error {
	return d.in(path, func(b *buffer) error { return d.save(b, focusOut) })
}

// Reasons of TextDocumentSaveReason.
const (
	manual = iota + 1
	afterDelay
	focusOut
)

// SaveAll saves every buffer with unsaved changes.
func (d *documents) SaveAll() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, b := range d.buffers {
		if b.dirty {
			if err := d.save(b, manual); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close closes the file, discards its unsaved changes, and tells the server.
func (d *documents) Close(path string) error { return d.in(path, d.forget) }

// Late delays each read from a connection by a random time of at most upTo, which exposes whatever
// depends on the speed of messages. Messages stay in order, and writing never waits. If upTo is not
// positive, Late returns the connection itself.
func Late(rwc io.ReadWriteCloser, upTo time.Duration) io.ReadWriteCloser {
	if upTo <= 0 {
		return rwc
	}
	return &late{rwc, upTo}
}

type late struct {
	io.ReadWriteCloser
	upTo time.Duration
}

func (l *late) Read(p []byte) (int, error) {
	n, err := l.ReadWriteCloser.Read(p)
	time.Sleep(rand.N(l.upTo))
	return n, err
}

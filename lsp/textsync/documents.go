// Package textsync follows the texts of the client's open documents (LSP 3.18, "Text
// Document Synchronization").
package textsync

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"sync"

	"redline/edits"
	"redline/internal/wire"
	"redline/lsp/position"
	"redline/workspace"
)

// Documents writes what the client sends into the buffers of a workspace. It remembers
// which open documents it could not follow: their text is unknown until the client
// sends a whole text or opens them again.
type Documents struct {
	workspace *workspace.Workspace
	positions position.Mapper

	mu   sync.Mutex
	lost map[string]string // paths of the documents whose text is unknown, by URI; "" outside the workspace
}

// New returns the documents of a client that has not opened any yet.
func New(w *workspace.Workspace, positions position.Mapper) *Documents {
	return &Documents{workspace: w, positions: positions, lost: map[string]string{}}
}

// Open stores a document's text. Some clients open a document that is already open:
// then Open replaces the text.
func (d *Documents) Open(uri, language string, version int32, text string) {
	d.found(uri)
	d.workspace.Open(uri, language, version, text)
}

// Close closes a document: its text is what the disk has.
func (d *Documents) Close(uri string) {
	d.found(uri)
	d.workspace.Close(uri)
}

// LostError reports that Redline can no longer follow a document, because it could not
// read one of its changes.
type LostError struct {
	URI   string
	Again bool // it was not followed before either
	Err   error
}

func (e *LostError) Error() string {
	return fmt.Sprintf("Redline no longer follows %s: %s", ShortName(e.URI), e.Err)
}

func (e *LostError) Unwrap() error { return e.Err }

// ShortName returns the last part of a URI, for messages.
func ShortName(uri string) string {
	name := path.Base(uri)
	if plain, err := url.PathUnescape(name); err == nil {
		return plain
	}
	return name
}

// maxEdits is the largest number of edits in one notification that are followed.
const maxEdits = 64

// Change makes content changes in order, each in the text that the one before left. It
// reports whether one of them was a whole text.
//
// Change cuts a range that ends beyond the text at the end of the text: Neovim sends
// such ranges and means that. It never guesses at a change that it cannot read: it
// refuses the whole notification with a [*LostError] and closes the document, since the
// text is then not the client's. Lost reports the document until the client sends a
// whole text or opens it again.
func (d *Documents) Change(p *wire.DidChangeParams) (whole bool, err error) {
	uri := p.TextDocument.URI
	changes, err := wire.DecodeContentChanges(p.ContentChanges)
	if err == nil {
		changes, err = d.usable(uri, changes)
	}
	if err != nil {
		return false, d.lose(uri, err)
	}
	buffer, ok := d.workspace.BufferURI(uri)
	if !ok {
		if changes = sinceWhole(changes); changes == nil {
			return false, fmt.Errorf("%s was changed but is not open", ShortName(uri))
		}
		d.workspace.Open(uri, "", p.TextDocument.Version, "")
		buffer, _ = d.workspace.BufferURI(uri)
	}
	lines, all, err := follow(d.positions, buffer.Lines, changes)
	if err != nil {
		return false, d.lose(uri, err)
	}
	whole = sinceWhole(changes) != nil
	if countEdits(all) > maxEdits {
		// Finding every hunk again is cheaper than following so many edits.
		d.workspace.Open(buffer.URI, buffer.Language, p.TextDocument.Version, lines.Whole().Text())
		return whole, nil
	}
	return whole, d.workspace.Update(buffer.URI, p.TextDocument.Version, lines, all...)
}

func countEdits(lists [][]edits.Edit) int {
	n := 0
	for _, es := range lists {
		n += len(es)
	}
	return n
}

// Lost reports whether the document at a workspace path is open but its text is
// unknown. Nothing may be applied to it.
func (d *Documents) Lost(path string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.lost {
		if p == path && p != "" {
			return true
		}
	}
	return false
}

// lose records that a document's text is no longer known, and closes the document.
func (d *Documents) lose(uri string, err error) *LostError {
	path, _ := d.workspace.PathOf(uri)
	d.mu.Lock()
	_, again := d.lost[uri]
	d.lost[uri] = path
	d.mu.Unlock()
	if !again {
		d.workspace.Close(uri)
	}
	return &LostError{URI: uri, Again: again, Err: err}
}

// found records that a document's text is known again.
func (d *Documents) found(uri string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.lost, uri)
}

// usable returns the changes that can be made to the document: all of them, or, for a
// document whose text is unknown, those from the last whole text on, which makes its
// text known again.
func (d *Documents) usable(uri string, changes []wire.ContentChange) ([]wire.ContentChange, error) {
	d.mu.Lock()
	_, lost := d.lost[uri]
	d.mu.Unlock()
	if !lost {
		return changes, nil
	}
	if changes = sinceWhole(changes); changes == nil {
		return nil, errors.New("its text is not known")
	}
	d.found(uri)
	return changes, nil
}

// sinceWhole returns the changes from the last whole text on, nil if there is none.
func sinceWhole(changes []wire.ContentChange) []wire.ContentChange {
	for i := len(changes) - 1; i >= 0; i-- {
		if !changes[i].HasRange {
			return changes[i:]
		}
	}
	return nil
}

// batch joins content changes, each meant for the text that the one before it left,
// into one list of edits of the original text. A client that makes many edits at once
// sends them from the last to the first, or from the first to the last (Helix). Then no
// edit overlaps another, and the text is copied once for all of them.
type batch struct {
	position.Mapper
	lines *edits.Lines // the text before

	// The edits so far, sorted: up, which came from the last to the first and is
	// stored reversed, then down. Between any two there is some unchanged text.
	up, down []edits.Edit

	// How many lines the edits added above a line below all of them, and the line in
	// which they end. known is false when the edits alone do not tell.
	moved, last int
	known       bool
}

func newBatch(m position.Mapper, lines *edits.Lines) *batch {
	return &batch{Mapper: m, lines: lines, known: true}
}

// made applies the edits and, if there are any, appends them to all. It returns a
// batch for the resulting text.
func (b *batch) made(all [][]edits.Edit) (*batch, [][]edits.Edit, error) {
	slices.Reverse(b.up)
	es := append(b.up, b.down...)
	if len(es) == 0 {
		return b, all, nil
	}
	lines, err := b.lines.ReplaceAll(es)
	return newBatch(b.Mapper, lines), append(all, es), err
}

// add puts a change into the batch. It returns false and leaves the batch unchanged
// when the change must begin a new batch, because it overlaps an earlier edit or may do
// so. An empty batch takes any change.
func (b *batch) add(c wire.ContentChange) (ok bool, err error) {
	empty := len(b.up)+len(b.down) == 0
	if !c.HasRange {
		if empty {
			b.append(edits.Refine(b.lines.Text(), edits.Edit{Span: edits.Span{End: len(b.lines.Text())}, New: c.Text}))
		}
		return empty, nil
	}
	// Before the first edit the lines are unchanged, and so are positions there.
	e, err := b.edit(c, 0)
	if empty {
		if err == nil {
			b.append(edits.Refine(b.lines.Text(), e))
		}
		return err == nil, err
	}
	if err == nil && e.End < b.first() {
		es := edits.Refine(b.lines.Text(), e)
		if ok = len(es) == 0 || es[len(es)-1].End < b.first(); ok {
			b.prepend(es)
		}
		return ok, nil
	}
	// Below the last edit, lines have only moved up or down.
	if !b.known || c.Range.Start.Line <= int64(b.last) {
		return false, nil
	}
	if e, err = b.edit(c, b.moved); err != nil || e.Start <= b.end() {
		return false, nil //nolint:nilerr // a new batch checks it again
	}
	es := edits.Refine(b.lines.Text(), e)
	if ok = len(es) == 0 || es[0].Start > b.end(); ok {
		b.append(es)
	}
	return ok, nil
}

// edit turns a change into an edit of the original text, given that the batch has added
// that many lines above the change.
func (b *batch) edit(c wire.ContentChange, more int) (edits.Edit, error) {
	start := edits.Position{Line: int(c.Range.Start.Line) - more, Character: int(c.Range.Start.Character)}
	end := edits.Position{Line: int(c.Range.End.Line) - more, Character: int(c.Range.End.Character)}
	span := edits.Span{Start: b.Offset(b.lines, start), End: b.Offset(b.lines, end)}
	if span.End < span.Start {
		return edits.Edit{}, errors.New("a change ends before it starts")
	}
	return edits.Edit{Span: span, New: c.Text}, nil
}

// first returns where the first edit starts, and end where the last one ends.
func (b *batch) first() int {
	if len(b.up) > 0 {
		return b.up[len(b.up)-1].Start
	}
	return b.down[0].Start
}

func (b *batch) end() int {
	if len(b.down) > 0 {
		return b.down[len(b.down)-1].End
	}
	return b.up[0].End
}

func (b *batch) append(es []edits.Edit) {
	for _, e := range es {
		b.down = append(b.down, e)
		b.note(e)
		b.last = b.lines.LineOf(e.End) + b.moved
	}
}

func (b *batch) prepend(es []edits.Edit) {
	for _, e := range slices.Backward(es) {
		b.up = append(b.up, e)
		b.last += b.note(e)
	}
}

// note counts the lines that an edit adds. It clears known if the edit may join or split
// a "\r\n", which changes the lines around the edit.
func (b *batch) note(e edits.Edit) (added int) {
	text := b.lines.Text()
	if e.Start > 0 && text[e.Start-1] == '\r' || e.End < len(text) && text[e.End] == '\n' && (endsInCR(e.New) || endsInCR(text[:e.End])) {
		b.known = false
	}
	added = edits.NewLines(e.New).Count() - 1 - (b.lines.LineOf(e.End) - b.lines.LineOf(e.Start))
	b.moved += added
	return added
}

func endsInCR(s string) bool { return s != "" && s[len(s)-1] == '\r' }

// follow returns the text after content changes and the edits that lead to it: a series
// of lists, each for the text that the lists before it left. A byte order mark at the
// start is not part of the text, but the client's positions count it.
func follow(m position.Mapper, lines *edits.Lines, changes []wire.ContentChange) (*edits.Lines, [][]edits.Edit, error) {
	whole, all, err := followWhole(m, lines.Whole(), changes)
	if err != nil {
		return nil, nil, err
	}
	after := whole.CutMark()
	if lines.Marked() || after.Marked() {
		all = withoutMark(all, lines, after)
	}
	return after, all, nil
}

// withoutMark turns edits that cover or add a leading byte order mark into edits that
// lead from before to after, neither of which includes the mark.
func withoutMark(all [][]edits.Edit, before, after *edits.Lines) [][]edits.Edit {
	const size = len(edits.BOM)
	stays := before.Marked()
	for _, es := range all {
		stays = stays && (len(es) == 0 || es[0].Start >= size)
	}
	if !stays {
		e := edits.Edit{Span: edits.Span{End: len(before.Text())}, New: after.Text()}
		if es := edits.Refine(before.Text(), e); len(es) > 0 {
			return [][]edits.Edit{es}
		}
		return nil
	}
	for _, es := range all {
		for i := range es {
			es[i].Start, es[i].End = es[i].Start-size, es[i].End-size
		}
	}
	return all
}

// followWhole does what follow does, for the text as the client has it.
func followWhole(m position.Mapper, lines *edits.Lines, changes []wire.ContentChange) (*edits.Lines, [][]edits.Edit, error) {
	var all [][]edits.Edit
	b := newBatch(m, lines)
	for _, c := range changes {
		ok, err := b.add(c)
		if err == nil && !ok {
			if b, all, err = b.made(all); err == nil {
				_, err = b.add(c)
			}
		}
		if err != nil {
			return nil, nil, err
		}
	}
	b, all, err := b.made(all)
	if err != nil {
		return nil, nil, err
	}
	return b.lines, all, nil
}

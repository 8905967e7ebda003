// Package textsync follows the texts of the client's open documents (LSP 3.18, "Text
// Document Synchronization").
package textsync

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"sync"

	"redline/edits"
	"redline/lsp/position"
	"redline/lsp/wire"
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

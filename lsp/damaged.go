package lsp

import (
	"errors"
	"sync"

	"redline/lsp/wire"
)

// damaged is the set of open documents whose text the server does not know any
// more. Nothing may be applied to them.
type damaged struct {
	mu    sync.Mutex
	paths map[string]string // by URI; "" for a document outside the workspace
}

// lost adds a document and tells whether it is new.
func (d *damaged) lost(uri, path string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.paths == nil {
		d.paths = map[string]string{}
	}
	_, known := d.paths[uri]
	d.paths[uri] = path
	return !known
}

// repaired takes a document out: its text is known again.
func (d *damaged) repaired(uri string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.paths, uri)
}

// holds tells whether the document of a workspace path is damaged.
func (d *damaged) holds(path string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.paths {
		if p == path && p != "" {
			return true
		}
	}
	return false
}

// usable returns the changes that can be made to the document: all of them, or
// for a damaged one those from the last whole text on, which repairs it.
func (d *damaged) usable(uri string, changes []wire.ContentChange) ([]wire.ContentChange, error) {
	d.mu.Lock()
	_, is := d.paths[uri]
	d.mu.Unlock()
	if !is {
		return changes, nil
	}
	if changes = sinceWhole(changes); changes == nil {
		return nil, errors.New("its text is not known")
	}
	d.repaired(uri)
	return changes, nil
}

// sinceWhole returns the changes from the last whole text on, nil if there is
// none.
func sinceWhole(changes []wire.ContentChange) []wire.ContentChange {
	for i := len(changes) - 1; i >= 0; i-- {
		if !changes[i].HasRange {
			return changes[i:]
		}
	}
	return nil
}

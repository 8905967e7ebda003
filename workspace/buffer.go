package workspace

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/edits"
)

// Buffer is one open document at one moment. It is never changed: an update
// puts another one in its place, so whoever holds one keeps a consistent view.
type Buffer struct {
	URI      string // as the client spelled it
	Path     string // "" when the document is outside the workspace folders
	Language string // the client's language id
	Version  int32
	Lines    *edits.Lines
	Dirty    bool // changed since it was opened from or saved to disk
	BOM      bool // its file has a byte order mark, or Lines is marked: it is no part of the text
}

// Open records a document that the client opened (LSP didOpen). Opening an open
// document replaces it. It is dirty from the start when its text is not what is
// on disk. A byte order mark at the start is no part of the text; see
// [edits.Lines.CutMark].
func (w *Workspace) Open(uri, language string, version int32, text string) {
	w.events.Lock()
	defer w.events.Unlock()
	path, _ := w.fileOf(uri)
	b := &Buffer{
		URI: uri, Path: path, Language: language, Version: version,
		Lines: edits.NewLines(text).CutMark(),
	}
	b.BOM = b.Lines.Marked()
	if path != "" {
		differs, bom := w.compareDisk(path, b.Lines.Text())
		b.Dirty, b.BOM = differs, b.BOM || bom
	}
	w.put(b, Opened, nil)
}

// Update records a new text of an open document (LSP didChange). es are the
// edits that lead there, as in [BufferEvent]; they are for the observers.
// Versions need not grow: some clients
// repeat or skip them. A document that is not open is an error.
func (w *Workspace) Update(uri string, version int32, lines *edits.Lines, es ...[]edits.Edit) error {
	w.events.Lock()
	defer w.events.Unlock()
	old, ok := w.byURI(uri)
	if !ok {
		return fmt.Errorf("%s was changed but is not open", uri)
	}
	b := *old
	b.Version, b.Lines, b.Dirty = version, lines, old.Dirty || len(es) > 0
	if lines.Marked() != old.Lines.Marked() {
		b.BOM, b.Dirty = lines.Marked(), true
	}
	w.put(&b, Changed, es)
	return nil
}

// Saved records that the client saved an open document (LSP didSave). text is
// what was saved when the client says so, else nil. Other documents are ignored.
func (w *Workspace) Saved(uri string, text *string) {
	w.events.Lock()
	defer w.events.Unlock()
	old, ok := w.byURI(uri)
	if !ok {
		return
	}
	b := *old
	b.Dirty = text != nil && *text != old.Lines.Whole().Text()
	b.BOM = b.Lines.Marked() || b.Path != "" && w.hasBOM(b.Path)
	w.put(&b, SavedEvent, nil)
}

// FoundSaved records that an open document has the text that is on disk, though
// the client has not said that it saved it: it may have read the file again.
func (w *Workspace) FoundSaved(uri string, text string) {
	w.events.Lock()
	defer w.events.Unlock()
	old, ok := w.byURI(uri)
	if !ok || old.Lines.Whole().Text() != text {
		return
	}
	b := *old
	b.Dirty = false
	b.BOM = b.Lines.Marked() || b.Path != "" && w.hasBOM(b.Path)
	w.put(&b, FoundSaved, nil)
}

// Close forgets a document (LSP didClose): the disk speaks for its path again.
func (w *Workspace) Close(uri string) {
	w.events.Lock()
	defer w.events.Unlock()
	old, ok := w.byURI(uri)
	if !ok {
		return
	}
	w.buffersMu.Lock()
	delete(w.buffers, uri)
	w.forget(uri)
	w.indexPaths()
	w.buffersMu.Unlock()
	w.emit(BufferEvent{Kind: Closed, Path: old.Path, URI: uri, Before: old.Lines})
}

// Buffer returns the open document of path.
func (w *Workspace) Buffer(path string) (*Buffer, bool) {
	w.buffersMu.RLock()
	defer w.buffersMu.RUnlock()
	uri, ok := w.byPath[path]
	return w.buffers[uri], ok // a document may have the URI "": a path that is not open must not find it
}

// BufferURI returns the open document of uri, also when the client now spells
// the URI in another way than when it opened the document.
func (w *Workspace) BufferURI(uri string) (*Buffer, bool) {
	if b, ok := w.byURI(uri); ok {
		return b, true
	}
	path, ok := w.fileOf(uri)
	if !ok {
		return nil, false
	}
	return w.Buffer(path)
}

// Buffers returns the open documents, ordered by URI.
func (w *Workspace) Buffers() []*Buffer {
	w.buffersMu.RLock()
	defer w.buffersMu.RUnlock()
	return slices.SortedFunc(maps.Values(w.buffers), func(a, b *Buffer) int { return strings.Compare(a.URI, b.URI) })
}

func (w *Workspace) byURI(uri string) (*Buffer, bool) {
	w.buffersMu.RLock()
	defer w.buffersMu.RUnlock()
	b, ok := w.buffers[uri]
	return b, ok
}

// put makes b the buffer of its URI and tells the observers. The caller holds
// w.events.
func (w *Workspace) put(b *Buffer, kind EventKind, es [][]edits.Edit) {
	w.buffersMu.Lock()
	old := w.buffers[b.URI]
	w.buffers[b.URI] = b
	if kind == Opened {
		w.forget(b.URI)
		w.opened = append(w.opened, b.URI)
		w.indexPaths()
	}
	w.buffersMu.Unlock()

	event := BufferEvent{Kind: kind, Path: b.Path, URI: b.URI, After: b.Lines, Edits: es}
	if old != nil {
		event.Before = old.Lines
	}
	w.emit(event)
}

// replaceBuffers gives every buffer the path that it has in the folders of now. At
// another path than before it is told as opened: whoever follows that path has not
// seen it there. The caller holds w.events.
func (w *Workspace) replaceBuffers() {
	var moved []*Buffer
	for _, old := range w.Buffers() {
		b := *old
		b.Path, _ = w.fileOf(b.URI)
		if b.Path != "" && b.Path != old.Path {
			moved = append(moved, &b)
		}
		w.buffersMu.Lock()
		w.buffers[b.URI] = &b
		w.buffersMu.Unlock()
	}
	w.buffersMu.Lock()
	w.indexPaths()
	w.buffersMu.Unlock()
	for _, b := range moved {
		w.emit(BufferEvent{Kind: Opened, Path: b.Path, URI: b.URI, After: b.Lines})
	}
}

// forget takes uri out of the order of opening. The caller holds w.buffersMu.
func (w *Workspace) forget(uri string) {
	w.opened = slices.DeleteFunc(w.opened, func(other string) bool { return other == uri })
}

// indexPaths rebuilds byPath. Of two URIs for one path the one opened last counts.
// The caller holds w.buffersMu.
func (w *Workspace) indexPaths() {
	clear(w.byPath)
	for _, uri := range w.opened {
		if b := w.buffers[uri]; b.Path != "" {
			w.byPath[b.Path] = uri
		}
	}
}

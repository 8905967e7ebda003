package workspace

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"redline/edits"
)

// Buffer is one open document at one moment. It is immutable: an update replaces it, so a
// reader keeps a consistent view.
type Buffer struct {
	URI      string // as the client spelled it
	Path     string // "" when the document is outside the workspace folders
	Language string // the client's language id
	Version  int32
	Lines    *edits.Lines
	Dirty    bool // changed since it was opened from or saved to disk
	BOM      bool // its file, or Lines, has a byte order mark, which is not part of the text
}

// buffers owns the documents that are open in the editor, and notifies observers of their
// changes.
type buffers struct {
	files *files

	events    sync.Mutex // held while one buffer changes and its observers run
	observers []func(BufferEvent)

	mu     sync.RWMutex
	all    map[string]*Buffer // by URI, as the client spelled it
	opened []string           // URIs of the buffers, in the order of opening
	byPath map[string]string  // path → URI of the buffer opened last
	wake   chan struct{}      // closed at the next buffer event; nil if nobody waits
}

// Open records a document that the client opened (LSP didOpen). Opening an open document
// replaces it. It is dirty from the start if its text differs from the disk. A byte order
// mark at the start is not part of the text; see [edits.Lines.CutMark].
func (bs *buffers) Open(uri, language string, version int32, text string) {
	bs.events.Lock()
	defer bs.events.Unlock()
	path, _ := bs.files.roots.fileOf(uri)
	b := &Buffer{
		URI: uri, Path: path, Language: language, Version: version,
		Lines: edits.NewLines(text).CutMark(),
	}
	b.BOM = b.Lines.Marked()
	if path != "" {
		differs, bom := bs.files.compareDisk(path, b.Lines.Text())
		b.Dirty, b.BOM = differs, b.BOM || bom
	}
	bs.put(b, Opened, nil)
}

// Update records a new text of an open document (LSP didChange). es are the edits that lead
// to it, for the observers, as in [BufferEvent]. Versions need not grow: some clients
// repeat or skip them. A document that is not open is an error.
func (bs *buffers) Update(uri string, version int32, lines *edits.Lines, es ...[]edits.Edit) error {
	bs.events.Lock()
	defer bs.events.Unlock()
	old, ok := bs.byURI(uri)
	if !ok {
		return fmt.Errorf("%s was changed but is not open", uri)
	}
	b := *old
	b.Version, b.Lines, b.Dirty = version, lines, old.Dirty || len(es) > 0
	if lines.Marked() != old.Lines.Marked() {
		b.BOM, b.Dirty = lines.Marked(), true
	}
	bs.put(&b, Changed, es)
	return nil
}

// Saved records that the client saved an open document (LSP didSave). text is the saved
// text if the client sends it, else nil. Other documents are ignored.
func (bs *buffers) Saved(uri string, text *string) {
	bs.events.Lock()
	defer bs.events.Unlock()
	old, ok := bs.byURI(uri)
	if !ok {
		return
	}
	b := *old
	b.Dirty = text != nil && *text != old.Lines.Whole().Text()
	b.BOM = b.Lines.Marked() || b.Path != "" && bs.files.hasBOM(b.Path)
	bs.put(&b, SavedEvent, nil)
}

// FoundSaved records that an open document has the text that is on disk although the client
// has not reported a save: it may have reloaded the file.
func (bs *buffers) FoundSaved(uri string, text string) {
	before, ok := bs.byURI(uri)
	if !ok {
		return
	}
	bom := before.Path != "" && bs.files.hasBOM(before.Path) // before taking the lock: typing waits for it
	bs.events.Lock()
	defer bs.events.Unlock()
	old, ok := bs.byURI(uri)
	if !ok || old.Path != before.Path || old.Lines.Whole().Text() != text {
		return
	}
	b := *old
	b.Dirty = false
	b.BOM = b.Lines.Marked() || bom
	bs.put(&b, FoundSaved, nil)
}

// Close removes a document (LSP didClose): the file on disk counts again.
func (bs *buffers) Close(uri string) {
	bs.events.Lock()
	defer bs.events.Unlock()
	old, ok := bs.byURI(uri)
	if !ok {
		return
	}
	bs.mu.Lock()
	delete(bs.all, uri)
	bs.forget(uri)
	bs.indexPaths()
	bs.mu.Unlock()
	bs.emit(BufferEvent{Kind: Closed, Path: old.Path, URI: uri, Before: old.Lines})
}

// Buffer returns the open document of path.
func (bs *buffers) Buffer(path string) (*Buffer, bool) {
	bs.mu.RLock()
	defer bs.mu.RUnlock()
	uri, ok := bs.byPath[path]
	return bs.all[uri], ok // a document may have the URI "": a path that is not open must not match it
}

// BufferURI returns the open document of uri, also if the client now spells the URI
// differently than when it opened the document.
func (bs *buffers) BufferURI(uri string) (*Buffer, bool) {
	if b, ok := bs.byURI(uri); ok {
		return b, true
	}
	path, ok := bs.files.roots.fileOf(uri)
	if !ok {
		return nil, false
	}
	return bs.Buffer(path)
}

// Buffers returns the open documents, ordered by URI.
func (bs *buffers) Buffers() []*Buffer {
	bs.mu.RLock()
	defer bs.mu.RUnlock()
	return slices.SortedFunc(maps.Values(bs.all), func(a, b *Buffer) int { return strings.Compare(a.URI, b.URI) })
}

func (bs *buffers) byURI(uri string) (*Buffer, bool) {
	bs.mu.RLock()
	defer bs.mu.RUnlock()
	b, ok := bs.all[uri]
	return b, ok
}

// put makes b the buffer of its URI and notifies the observers. The caller holds bs.events.
func (bs *buffers) put(b *Buffer, kind EventKind, es [][]edits.Edit) {
	bs.mu.Lock()
	old := bs.all[b.URI]
	bs.all[b.URI] = b
	if kind == Opened {
		bs.forget(b.URI)
		bs.opened = append(bs.opened, b.URI)
		bs.indexPaths()
	}
	bs.mu.Unlock()

	event := BufferEvent{Kind: kind, Path: b.Path, URI: b.URI, After: b.Lines, Edits: es}
	if old != nil {
		event.Before = old.Lines
	}
	bs.emit(event)
}

// moveTo calls change, which replaces the folders, and gives every buffer its path in the
// new ones. A buffer whose path has changed is announced as opened: observers of the new
// path have not seen it.
func (bs *buffers) moveTo(change func()) {
	bs.events.Lock()
	defer bs.events.Unlock()
	change()
	var moved []*Buffer
	for _, old := range bs.Buffers() {
		b := *old
		b.Path, _ = bs.files.roots.fileOf(b.URI)
		if b.Path != "" && b.Path != old.Path {
			moved = append(moved, &b)
		}
		bs.mu.Lock()
		bs.all[b.URI] = &b
		bs.mu.Unlock()
	}
	bs.mu.Lock()
	bs.indexPaths()
	bs.mu.Unlock()
	for _, b := range moved {
		bs.emit(BufferEvent{Kind: Opened, Path: b.Path, URI: b.URI, After: b.Lines})
	}
}

// forget removes uri from the order of opening. The caller holds bs.mu.
func (bs *buffers) forget(uri string) {
	bs.opened = slices.DeleteFunc(bs.opened, func(other string) bool { return other == uri })
}

// indexPaths rebuilds byPath. If two URIs have the same path, the one opened last counts.
// The caller holds bs.mu.
func (bs *buffers) indexPaths() {
	clear(bs.byPath)
	for _, uri := range bs.opened {
		if b := bs.all[uri]; b.Path != "" {
			bs.byPath[b.Path] = uri
		}
	}
}

// EventKind is a kind of buffer event.
type EventKind int

// The kinds of buffer events.
const (
	Opened EventKind = iota
	Changed
	SavedEvent
	Closed
	FoundSaved // the buffer's text equals that on disk, without a notice from the client
)

// BufferEvent is one change of one buffer.
type BufferEvent struct {
	Kind          EventKind
	Path          string // "" when the document is outside the workspace folders
	URI           string
	Before, After *edits.Lines // nil if there is none: before Opened at a path, after Closed
	// Edits lead from Before to After when Kind is Changed: sorted lists of
	// non-overlapping edits, each for the text that the lists before it left.
	Edits [][]edits.Edit
}

// Observe has f called for every later buffer event, in order, on the goroutine that
// changes the buffer. f may read the workspace; it must not change buffers or folders and
// must return quickly, since typing waits for it.
func (bs *buffers) Observe(f func(BufferEvent)) {
	bs.events.Lock()
	defer bs.events.Unlock()
	bs.observers = append(bs.observers, f)
}

// emit notifies the observers and wakes the waiting goroutines. The caller holds bs.events.
func (bs *buffers) emit(event BufferEvent) {
	for _, observe := range bs.observers {
		observe(event)
	}
	bs.mu.Lock()
	if bs.wake != nil {
		close(bs.wake)
		bs.wake = nil
	}
	bs.mu.Unlock()
}

// pollEvery is how often AwaitText reads a file that is not open.
const pollEvery = 25 * time.Millisecond

// AwaitText waits until ok accepts the file at path or ctx is done, and returns the file as
// last seen and whether ok accepted it. While the file is open it looks at buffer events
// only; else it reads the disk every 25 ms. A file that cannot be read is not accepted.
func (w *Workspace) AwaitText(ctx context.Context, path string, ok func(File) bool) (File, bool) {
	timer := time.NewTimer(pollEvery)
	defer timer.Stop()
	for {
		woken := w.nextEvent() // before reading, so that no event is missed
		file, err := w.Read(path)
		if err == nil && ok(file) {
			return file, true
		}
		var poll <-chan time.Time
		if file.Buffer == nil {
			timer.Reset(pollEvery)
			poll = timer.C
		}
		select {
		case <-woken:
		case <-poll:
		case <-ctx.Done():
			return file, false
		}
	}
}

// nextEvent returns a channel that is closed at the next buffer event.
func (bs *buffers) nextEvent() <-chan struct{} {
	bs.mu.Lock()
	defer bs.mu.Unlock()
	if bs.wake == nil {
		bs.wake = make(chan struct{})
	}
	return bs.wake
}

// Unsaved returns the absolute names, without symbolic links and sorted, of the open
// documents with unsaved changes. It leaves out documents that are not files.
func (bs *buffers) Unsaved() []string {
	var names []string
	for _, b := range bs.Buffers() {
		if !b.Dirty {
			continue
		}
		if name, ok := bs.realNameOf(b); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// RealName returns the absolute name, without symbolic links, of a file, which need not
// exist. Two workspaces that reach a file by different paths get the same name. It fails
// like Read.
func (rs *rootSet) RealName(path string) (string, error) {
	r, rel, err := rs.resolve(path)
	if err != nil {
		return "", err
	}
	return filepath.Join(r.realDir(), filepath.FromSlash(rel)), nil
}

// realNameOf is RealName for an open document, which may be outside the workspace.
func (bs *buffers) realNameOf(b *Buffer) (string, bool) {
	if b.Path != "" {
		if name, err := bs.files.roots.RealName(b.Path); err == nil {
			return name, true
		}
	}
	abs, ok := dirOfURI(b.URI)
	if !ok {
		return "", false
	}
	top := filepath.VolumeName(abs) + string(filepath.Separator)
	rel, err := filepath.Rel(top, abs)
	if err != nil {
		return abs, true
	}
	if name, err := realName(top, filepath.ToSlash(rel)); err == nil {
		return name, true
	}
	return abs, true
}

// AsOnDisk reports whether an open document has the text of its file, for instance after an
// editor has reloaded it. It ignores line endings and a byte order mark.
func (bs *buffers) AsOnDisk(b *Buffer) bool {
	if b.Path == "" {
		return false
	}
	differs, _ := bs.files.compareDisk(b.Path, b.Lines.Text())
	return !differs
}

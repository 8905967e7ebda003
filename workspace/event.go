package workspace

import (
	"context"
	"time"

	"redline/edits"
)

// EventKind says what happened to a buffer.
type EventKind int

// What can happen to a buffer.
const (
	Opened EventKind = iota
	Changed
	SavedEvent
	Closed
	FoundSaved // the buffer's text was found to be that of the disk; the client said nothing
)

// BufferEvent is one thing that happened to one buffer.
type BufferEvent struct {
	Kind          EventKind
	Path          string // "" when the document is outside the workspace folders
	URI           string
	Before, After *edits.Lines // nil where there is none: before Opened at a path, after Closed
	// Edits lead from Before to After when Kind is Changed: sorted lists of
	// non-overlapping edits, each for the text that the lists before it left.
	Edits [][]edits.Edit
}

// Observe has f called for every buffer event from now on, in order, on the
// goroutine that changes the buffer. f may read the workspace; it must not
// change buffers or folders and must return quickly, since typing waits for it.
func (bs *buffers) Observe(f func(BufferEvent)) {
	bs.events.Lock()
	defer bs.events.Unlock()
	bs.observers = append(bs.observers, f)
}

// emit tells the observers and wakes those who wait. The caller holds bs.events.
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

// pollEvery is how often AwaitText looks at a file that no editor shows.
const pollEvery = 25 * time.Millisecond

// AwaitText waits until the file at path is as ok wants it or ctx is done, and
// returns the file as last seen and whether it was ok. While the file is open it
// looks at buffer events only; else it looks at the disk every 25 ms. A file
// that cannot be read is not ok.
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

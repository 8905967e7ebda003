package workspace

import (
	"context"
	"time"

	"redline/edits"
)

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

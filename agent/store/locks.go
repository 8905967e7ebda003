package store

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"redline/internal/filelock"
)

// locks are rights, each with a number, that one process holds at a time: locks on the files
// of a directory, such as "executions/12.lock". The system releases them when their process ends, in whatever way, so that
// another process can tell running work from interrupted work.
type locks struct {
	dir string

	mu       sync.Mutex
	held     map[int64]*os.File
	volatile map[int64]bool // nil for locks on files; see inMemory
}

// inMemory keeps rights in this process only, from now on, because their numbers come from a
// database in memory, which no other process sees.
func (l *locks) inMemory() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.volatile = map[int64]bool{}
}

// take takes a right; free is false if another process has it. If the lock file cannot be
// created, take grants the right without a lock: to another process the work then looks
// interrupted.
func (l *locks) take(id int64) (free bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.volatile != nil {
		free = !l.volatile[id]
		l.volatile[id] = true
		return free
	}
	if os.MkdirAll(l.dir, 0o700) != nil {
		return true
	}
	f, err := os.OpenFile(l.path(id), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return true
	}
	if !filelock.Try(f) {
		f.Close()
		return false
	}
	if l.held == nil {
		l.held = map[int64]*os.File{}
	}
	l.held[id] = f
	return true
}

// give releases a right, if this process has it.
func (l *locks) give(id int64) {
	l.mu.Lock()
	f := l.held[id]
	delete(l.held, id)
	delete(l.volatile, id)
	l.mu.Unlock()
	if f != nil {
		os.Remove(f.Name())
		f.Close()
		os.Remove(f.Name()) // on systems that keep open files
	}
}

// taken reports whether a live process, this one included, has a right.
func (l *locks) taken(id int64) bool {
	l.mu.Lock()
	volatile, has := l.volatile != nil, l.volatile[id]
	l.mu.Unlock()
	if volatile {
		return has
	}
	f, err := os.OpenFile(l.path(id), os.O_RDWR, 0o600)
	if err != nil {
		return false
	}
	defer f.Close()
	return filelock.Held(f)
}

// close releases all rights, as the end of the process would.
func (l *locks) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.held {
		f.Close()
	}
	l.held = nil
}

func (l *locks) path(id int64) string { return filepath.Join(l.dir, fmt.Sprintf("%d.lock", id)) }

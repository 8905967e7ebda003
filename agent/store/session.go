package store

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A Session tells the other processes that use a state directory which files
// are unsaved in this one's editor. Its word is a small file next to a lock, and
// counts for as long as the lock is held: the system gives that up when the
// process ends, however that ends. Nothing in the directory is made before the
// first file is unsaved.
type Session struct {
	dir string

	mu     sync.Mutex
	lock   *os.File // nil until something was published
	id     string
	closed bool
}

// Unsaved is what one process says of its editor.
type Unsaved struct {
	Process int      `json:"process"`
	Client  string   `json:"client,omitempty"` // what the editor calls itself
	Files   []string `json:"files"`            // absolute, without symbolic links
}

// NewSession returns a session that has nothing unsaved. It touches nothing.
func (s *Store) NewSession() *Session {
	return &Session{dir: filepath.Join(s.dir, "sessions")}
}

// Publish makes files, by their absolute names without symbolic links, what is
// unsaved in the editor that calls itself client. When it fails, or where there
// are no locks, others do not know of them; nothing else depends on it.
func (n *Session) Publish(client string, files []string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.closed:
		return nil
	case len(files) == 0 && n.lock == nil:
		return nil
	case len(files) == 0:
		err := os.Remove(n.path(n.id, "json"))
		if os.IsNotExist(err) {
			err = nil
		}
		return err
	}
	if err := n.begin(); err != nil {
		return err
	}
	text, err := json.Marshal(Unsaved{Process: os.Getpid(), Client: client, Files: files})
	if err != nil {
		return err
	}
	// A name of its own first: nobody must read half of it.
	whole := n.path(n.id, "tmp")
	if err := os.WriteFile(whole, text, 0o600); err != nil {
		return err
	}
	return os.Rename(whole, n.path(n.id, "json"))
}

// Close withdraws what was published, for good.
func (n *Session) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
	if n.lock != nil {
		n.sweep(n.id, n.lock)
		n.lock = nil
	}
}

// Others returns what the other live processes have published. What is left of
// processes that have ended is taken away. A directory that cannot be read has
// nothing.
func (n *Session) Others() []Unsaved {
	n.mu.Lock()
	defer n.mu.Unlock()
	entries, err := os.ReadDir(n.dir)
	if err != nil {
		return nil
	}
	var others []Unsaved
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".lock")
		if !ok || id == n.id && n.lock != nil {
			continue
		}
		f, err := os.OpenFile(n.path(id, "lock"), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if !isLocked(f) {
			n.sweep(id, f)
			continue
		}
		f.Close()
		var u Unsaved
		if text, err := os.ReadFile(n.path(id, "json")); err == nil && json.Unmarshal(text, &u) == nil && len(u.Files) > 0 {
			others = append(others, u)
		}
	}
	return others
}

// begin takes the session's lock, under a name of its own. Somebody who takes it
// for a dead one's may hold it for a moment, and take the file away: then there
// is another name.
func (n *Session) begin() error {
	if n.lock != nil && n.lockIsThere() {
		return nil
	}
	if n.lock != nil {
		n.lock.Close()
		n.lock = nil
	}
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return err
	}
	for range 100 { // on a machine with much to do several have looked before it is locked
		var random [8]byte
		_, _ = rand.Read(random[:]) // it never fails
		n.id = hex.EncodeToString(random[:])
		f, err := os.OpenFile(n.path(n.id, "lock"), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		if n.lock = f; tryLock(f) && n.lockIsThere() {
			return nil
		}
		f.Close()
		n.lock = nil
	}
	return errors.New("the lock of a session is taken by another process each time")
}

// lockIsThere tells whether the lock that is held is the one that others find.
func (n *Session) lockIsThere() bool {
	held, err := n.lock.Stat()
	if err != nil {
		return false
	}
	found, err := os.Stat(n.path(n.id, "lock"))
	return err == nil && os.SameFile(held, found)
}

// sweep takes away what a session has left, whose lock nobody else has. The
// lock goes last, so that nobody finds the rest without it. Where a file that is
// open cannot be taken away, it is once it is closed.
func (n *Session) sweep(id string, lock *os.File) {
	for _, kind := range []string{"json", "tmp"} {
		os.Remove(n.path(id, kind))
	}
	if os.Remove(n.path(id, "lock")) == nil {
		lock.Close()
		return
	}
	lock.Close()
	os.Remove(n.path(id, "lock"))
}

func (n *Session) path(id, kind string) string { return filepath.Join(n.dir, id+"."+kind) }

// Has tells whether a file is among those that are unsaved.
func (u Unsaved) Has(file string) bool { return slices.Contains(u.Files, file) }

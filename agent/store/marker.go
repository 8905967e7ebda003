package store

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"redline/internal/filelock"
	"redline/internal/smallfile"
)

// maxMarker limits how many bytes of a marker are read.
const maxMarker = 4 << 20

// marker is a small file that one process publishes to the others, next to a lock file. It
// counts while the process has that file locked; the system unlocks it when the process
// ends, in whatever way. A marker is not safe for concurrent use.
type marker struct {
	dir  string
	lock *os.File // nil until something was published
	id   string

	awaited map[string]bool // see ending
}

// say publishes text.
func (n *marker) say(text []byte) error {
	if err := n.begin(); err != nil {
		return err
	}
	// Write it under another name first, so that nobody reads a partial text.
	whole := n.path(n.id, "tmp")
	if err := os.WriteFile(whole, text, 0o600); err != nil {
		return err
	}
	return os.Rename(whole, n.path(n.id, "json"))
}

// unsay removes the text; the lock stays.
func (n *marker) unsay() error {
	err := os.Remove(n.path(n.id, "json"))
	if os.IsNotExist(err) {
		err = nil
	}
	return err
}

// end removes the marker.
func (n *marker) end() {
	if n.lock != nil {
		n.sweep(n.id, n.lock)
		n.lock = nil
	}
}

// others reads the other markers of the directory. It calls live for those of live processes.
// It removes those of ended processes, and calls ended with their last text, in one process
// only. It ignores a directory that cannot be read.
func (n *marker) others(live, ended func(text []byte)) {
	entries, err := os.ReadDir(n.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".lock")
		if !ok || !e.Type().IsRegular() || id == n.id && n.lock != nil {
			continue
		}
		f, err := os.OpenFile(n.path(id, "lock"), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		locked := filelock.Held(f)
		words, err := smallfile.Read(n.path(id, "json"), maxMarker) // a process that ends removes this before it unlocks
		said, text := err == nil, []byte(words)
		if !locked || said && n.ending(id, f, text) {
			first := os.Remove(n.path(id, "json")) == nil // another process may remove it at the same time
			n.sweep(id, f)
			if said && first && ended != nil {
				ended(text)
			}
			continue
		}
		if said && live != nil {
			live(text)
		}
		f.Close()
	}
}

// begin creates and locks the lock file, under a new name. Another process that finds the
// file before it is locked takes it for that of an ended process, and removes it: begin then
// tries another name.
func (n *marker) begin() error {
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
	for range 100 { // on a busy machine several tries may fail
		var random [8]byte
		_, _ = rand.Read(random[:]) // never fails
		n.id = hex.EncodeToString(random[:])
		f, err := os.OpenFile(n.path(n.id, "lock"), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		if n.lock = f; filelock.Try(f) && n.lockIsThere() {
			return nil
		}
		f.Close()
		n.lock = nil
	}
	return errors.New("the lock of a marker is taken by another process each time")
}

// lockIsThere reports whether the lock file that this marker has locked still has its name.
func (n *marker) lockIsThere() bool {
	held, err := n.lock.Stat()
	if err != nil {
		return false
	}
	found, err := os.Stat(n.path(n.id, "lock"))
	return err == nil && os.SameFile(held, found)
}

// sweep removes the files of a marker whose lock nobody else holds. It removes the lock file
// last, so that nobody finds the others without it. Systems that cannot remove an open file
// remove it once it is closed.
func (n *marker) sweep(id string, lock *os.File) {
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

func (n *marker) path(id, kind string) string { return filepath.Join(n.dir, id+"."+kind) }

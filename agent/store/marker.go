package store

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"redline/internal/filelock"
)

// A marker is what one process lets the others know: a small file next to a lock,
// which counts for as long as the lock is held. The system gives that up when the
// process ends, however that ends. Its owner guards it.
type marker struct {
	dir  string
	lock *os.File // nil until something was said
	id   string
}

// say makes text what the others read.
func (n *marker) say(text []byte) error {
	if err := n.begin(); err != nil {
		return err
	}
	// A name of its own first: nobody must read half of it.
	whole := n.path(n.id, "tmp")
	if err := os.WriteFile(whole, text, 0o600); err != nil {
		return err
	}
	return os.Rename(whole, n.path(n.id, "json"))
}

// unsay has the others read nothing; the lock is kept.
func (n *marker) unsay() error {
	err := os.Remove(n.path(n.id, "json"))
	if os.IsNotExist(err) {
		err = nil
	}
	return err
}

// end takes all of it away.
func (n *marker) end() {
	if n.lock != nil {
		n.sweep(n.id, n.lock)
		n.lock = nil
	}
}

// others reads the markers of the directory but this one. Those of processes that
// have ended are taken away; ended gets what they said last, in one process only. A
// directory that cannot be read has none.
func (n *marker) others(live, ended func(text []byte)) {
	entries, err := os.ReadDir(n.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".lock")
		if !ok || id == n.id && n.lock != nil {
			continue
		}
		f, err := os.OpenFile(n.path(id, "lock"), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		locked := filelock.Held(f)
		text, err := os.ReadFile(n.path(id, "json")) // who ends takes this away before the lock is free
		said := err == nil
		if !locked {
			first := os.Remove(n.path(id, "json")) == nil // another process may look at the same time
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

// begin takes the marker's lock, under a name of its own. Somebody who takes it
// for a dead one's may hold it for a moment, and take the file away: then there
// is another name.
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
	for range 100 { // on a machine with much to do several have looked before it is locked
		var random [8]byte
		_, _ = rand.Read(random[:]) // it never fails
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

// lockIsThere tells whether the lock that is held is the one that others find.
func (n *marker) lockIsThere() bool {
	held, err := n.lock.Stat()
	if err != nil {
		return false
	}
	found, err := os.Stat(n.path(n.id, "lock"))
	return err == nil && os.SameFile(held, found)
}

// sweep takes away what a marker has left, whose lock nobody else has. The
// lock goes last, so that nobody finds the rest without it. Where a file that is
// open cannot be taken away, it is once it is closed.
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

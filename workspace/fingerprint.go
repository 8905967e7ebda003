package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// contentHashes remembers what files had when [Fingerprint] read them, to tell whether one that is reported to have changed
// has another content.
type contentHashes struct {
	changes diskChanges // those of contents

	mu sync.Mutex
	of map[string]contentHash // by workspace path
}

// contentHash stands for what a file had.
type contentHash struct {
	state FileState // before it was read
	read  time.Time // when state was taken
	sum   [sha256.Size]byte
}

// is reports whether a file in this state still has the content.
func (c *contentHash) is(state FileState) bool {
	return c.state.Same(state) && c.read.Sub(state.Changed()) >= sameTime && c.read.Sub(state.Modified()) >= sameTime
}

// get returns what is known of a file.
func (c *contentHashes) get(path string) (contentHash, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, had := c.of[path]
	return known, had
}

// note records what a file has, nil for nothing that is known: also that it has changed, if it had another content.
func (c *contentHashes) note(path string, next *contentHash, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, had := c.of[path]; had && (next == nil || next.sum != known.sum) {
		if now := time.Now(); now.After(at) {
			at = now // a report that began before this moment may be about what the file had before
		}
		c.changes.add(path, at)
	}
	switch {
	case next == nil:
		delete(c.of, path)
	case c.of == nil:
		c.of = map[string]contentHash{path: *next}
	default:
		c.of[path] = *next
	}
}

// compareContent records that the content of a file has changed, unless it is the one that is known.
func compareContent(w *Workspace, path string, at time.Time) {
	if _, had := w.hashes.get(path); !had {
		w.hashes.changes.add(path, at)
		return
	}
	now, err := contentOf(w, path)
	if err != nil {
		now = nil
	}
	w.hashes.note(path, now, at)
}

// contentOf reads a file.
func contentOf(w *Workspace, path string) (*contentHash, error) {
	name, err := w.RealName(path)
	if err != nil {
		return nil, err
	}
	read := time.Now()
	state, err := StateOf(name)
	if err != nil {
		return nil, err
	}
	r, rel, err := w.roots.resolve(path)
	if err != nil {
		return nil, err
	}
	data, _, err := r.readRegular(path, rel, maxContent)
	if err != nil {
		return nil, err
	}
	return &contentHash{state, read, sha256.Sum256(data)}, nil
}

// Limits of what Fingerprint reads, in bytes. Of larger files, and of those after the first maxContents bytes, their
// times count.
const (
	maxContent  = 4 << 20
	maxContents = 64 << 20
)

// Fingerprint names the contents of all files on the disk that [Workspace.List] lists and for which counts returns true.
// It reads those that it has not read since they have changed.
func Fingerprint(ctx context.Context, w *Workspace, counts func(path string) bool) (string, error) {
	found, err := statesOf(ctx, w, counts)
	if err != nil {
		return "", err
	}
	for path := range w.hashes.paths() {
		if _, there := found[path]; !there && counts(path) {
			w.hashes.note(path, nil, time.Time{})
		}
	}
	sum, left := sha256.New(), int64(maxContents)
	for _, path := range slices.Sorted(maps.Keys(found)) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		state := found[path]
		var has *contentHash
		if left -= state.Size(); left >= 0 && state.Size() <= maxContent {
			has = knownContent(w, path, state)
		}
		if has != nil {
			fmt.Fprintf(sum, "%q %x\n", path, has.sum)
		} else {
			w.hashes.note(path, nil, time.Time{})
			fmt.Fprintf(sum, "%q %d %d\n", path, state.Modified().UnixNano(), state.Changed().UnixNano())
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// statesOf returns the files that [Fingerprint] names.
func statesOf(ctx context.Context, w *Workspace, counts func(path string) bool) (map[string]FileState, error) {
	var mu sync.Mutex
	found := map[string]FileState{}
	err := w.Visit(ctx, func(path string) {
		if !counts(path) {
			return
		}
		name, err := w.RealName(path)
		if err != nil {
			return
		}
		state, err := StateOf(name)
		if err != nil {
			return // it has just gone
		}
		mu.Lock()
		defer mu.Unlock()
		found[path] = state
	})
	return found, err
}

// knownContent returns the content of a file, and reads the file if it may have changed; nil if it cannot be read.
func knownContent(w *Workspace, path string, state FileState) *contentHash {
	if had, ok := w.hashes.get(path); ok && had.is(state) {
		return &had
	}
	has, err := contentOf(w, path)
	if err != nil {
		return nil
	}
	w.hashes.note(path, has, time.Time{})
	return has
}

// paths returns the files whose content is known.
func (c *contentHashes) paths() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	paths := make(map[string]bool, len(c.of))
	for path := range c.of {
		paths[path] = true
	}
	return paths
}

// Follow records whether all changes of the disk since a time are known to this process, as far as they were reported: it has
// looked at the disk then, or has found it unchanged.
func Follow(w *Workspace, since time.Time, all bool) {
	c := &w.changes
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.followed == nil || len(c.followed) >= maxDiskChanges {
		c.followed = map[int64]bool{}
	}
	c.followed[since.UnixNano()] = all
}

// Follows returns what [Follow] was told about a time. known is false if it was told nothing.
func Follows(w *Workspace, since time.Time) (all, known bool) {
	c := &w.changes
	c.mu.Lock()
	defer c.mu.Unlock()
	all, known = c.followed[since.UnixNano()]
	return all, known
}

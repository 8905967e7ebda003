package workspace

import (
	"sync"
	"time"
)

// maxDiskChanges is how many changed files are remembered by name; if there are more, all count as
// changed.
const maxDiskChanges = 10_000

// diskChanges remembers which files have changed on the disk, as far as somebody reported it.
type diskChanges struct {
	mu   sync.Mutex
	at   map[string]time.Time // when the file changed last
	many time.Time            // when more changed than are remembered
}

// ChangedOnDisk records that files or folders have changed on the disk. Redline's own files, those
// of Git and ignored ones do not count. It reads ignore files.
func (w *Workspace) ChangedOnDisk(paths []string, at time.Time) {
	known := map[*root]*rules{}
	for _, path := range paths {
		r, rel, err := w.locate(path)
		if err != nil || inGit(rel) != "" || inOwn(rel) {
			continue
		}
		if known[r] == nil {
			known[r] = newRules(r)
		}
		if !known[r].ignores(rel, false) {
			w.changes.add(path, at)
		}
	}
}

func (c *diskChanges) add(path string, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at == nil || len(c.at) >= maxDiskChanges {
		if c.at != nil {
			c.many = at
		}
		c.at = map[string]time.Time{}
	}
	c.at[path] = at
}

// ChangedSince reports whether a file for which counts returns true has changed on the disk since a
// time, as far as it was reported. It reads no file.
func (w *Workspace) ChangedSince(since time.Time, counts func(path string) bool) bool {
	c := &w.changes
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.many.After(since) {
		return true
	}
	for path, at := range c.at {
		if at.After(since) && counts(path) {
			return true
		}
	}
	return false
}

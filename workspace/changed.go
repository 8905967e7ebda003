package workspace

import (
	"sync"
	"time"
)

// maxDiskChanges is how many changed files are remembered by name; if there are more, all count as
// changed.
const maxDiskChanges = 10_000

// diskChanges remembers which files have changed on the disk.
type diskChanges struct {
	mu   sync.Mutex
	at   map[string]time.Time // when the file changed last
	many time.Time            // when more changed than are remembered

	followed map[int64]bool // see Follow; by nanoseconds since 1970
}

// ChangedOnDisk records that files or folders have changed on the disk. Redline's own files, those
// of Git and ignored ones do not count. It reads ignore files, and the files that
// [Fingerprint] has read.
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
			compareContent(w, path, at)
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

// last returns when a file for which counts returns true has changed last.
func (c *diskChanges) last(counts func(path string) bool) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.many
	for path, at := range c.at {
		if at.After(last) && counts(path) {
			last = at
		}
	}
	return last
}

// ChangedSince reports whether a file for which counts returns true has changed on the disk since a
// time, as far as it was reported. A file that was saved with the text that it had counts as changed. It reads no file.
func (w *Workspace) ChangedSince(since time.Time, counts func(path string) bool) bool {
	return w.changes.last(counts).After(since)
}

// ContentChangedAt returns when the content of a file for which counts returns true has changed on the disk last, as far
// as it was reported, or as [Fingerprint] has found; zero for never. A file that Fingerprint has not read counts as
// changed whenever it is reported. It reads no file.
func (w *Workspace) ContentChangedAt(counts func(path string) bool) time.Time {
	return w.hashes.changes.last(counts)
}

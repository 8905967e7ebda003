package workspace

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"
)

// Stamp shows, without reading a file on disk, whether it may have changed. The zero Stamp
// differs from every other.
type Stamp struct {
	taken time.Time
	info  fs.FileInfo // nil if there is no file
	why   string      // why the file cannot be examined, "" if it can
}

// Stamp returns the stamp of the file on disk at path, whatever the editor has.
func (d *files) Stamp(path string) Stamp {
	s := Stamp{taken: time.Now()}
	info, err := d.infoOf(path)
	switch {
	case err == nil:
		s.info = info
	case !errors.Is(err, fs.ErrNotExist):
		s.why = err.Error()
	}
	return s
}

// There reports whether the file existed.
func (s Stamp) There() bool { return s.info != nil }

// sameTime is how soon after one change another may leave a file with the same time: the
// resolution of file times.
const sameTime = 2 * time.Second

// Differs reports whether the file may have changed between two stamps, of which old was
// taken first. A file that was changed just before old was taken may have changed again
// with the same time and size.
func (s Stamp) Differs(old Stamp) bool {
	switch {
	case old.taken.IsZero() || s.why != old.why || (s.info == nil) != (old.info == nil):
		return true
	case s.info == nil:
		return false
	}
	return !os.SameFile(s.info, old.info) || s.info.Size() != old.info.Size() || s.info.Mode() != old.info.Mode() ||
		!s.info.ModTime().Equal(old.info.ModTime()) || changeTime(s.info) != changeTime(old.info) || old.taken.Sub(old.info.ModTime()).Abs() < sameTime
}

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

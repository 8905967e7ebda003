package workspace

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// Stamp is what tells, without reading it, whether a file on disk may be other
// than it was. The zero Stamp is like no other.
type Stamp struct {
	taken time.Time
	info  fs.FileInfo // nil when there is no file
	why   string      // why it cannot be looked at, "" if it can
}

// Stamp looks at what is on disk at path, whatever the editor has.
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

// There tells whether there was a file.
func (s Stamp) There() bool { return s.info != nil }

// sameTime is how long after a change of a file another one may leave it with
// the same time: that is as exact as the file system keeps times.
const sameTime = 2 * time.Second

// Differs tells whether the file may have been changed between two stamps, of
// which old was taken first. A file that was changed just before old was taken
// may have been changed since, and still have the same time and size.
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

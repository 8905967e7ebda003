package workspace

import (
	"errors"
	"io/fs"
	"os"
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

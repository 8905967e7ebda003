package workspace

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// SameFile reports whether two paths that differ only in upper and lower case are one file,
// as on a file system that ignores case: then one can be renamed to the other.
func (d *files) SameFile(a, b string) bool {
	if a == b || !strings.EqualFold(a, b) {
		return false
	}
	infoA, errA := d.infoOf(a)
	infoB, errB := d.infoOf(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// HasName reports whether a file or folder on disk has a last name spelled exactly as in
// path. A file system that ignores case finds a file under other spellings too.
func (d *files) HasName(p string) bool {
	r, rel, err := d.roots.locate(p)
	if err != nil {
		return false
	}
	dir, err := r.open()
	if err != nil {
		return false
	}
	if _, err := dir.Lstat(rel); err != nil {
		return false
	}
	above, err := dir.Open(path.Dir(rel))
	if err != nil {
		return false
	}
	defer above.Close()
	names, err := above.Readdirnames(-1)
	return err == nil && slices.Contains(names, path.Base(rel))
}

// IsLink reports whether path itself is a symbolic link.
func (d *files) IsLink(p string) bool {
	r, rel, err := d.roots.locate(p)
	if err != nil {
		return false
	}
	dir, err := r.open()
	if err != nil {
		return false
	}
	info, err := dir.Lstat(rel)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// lastName returns the last part of a path.
func lastName(p string) string { return path.Base(p) }

// infoOf returns the file info of the file that path leads to.
func (d *files) infoOf(p string) (fs.FileInfo, error) {
	r, rel, err := d.roots.resolve(p)
	if err != nil {
		return nil, err
	}
	dir, err := r.open()
	if err != nil {
		return nil, err
	}
	return dir.Lstat(rel)
}

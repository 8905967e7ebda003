package workspace

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// offLimits are the files and folders that no tool reads or changes, although they
// may lie in the workspace: the user's own settings and Redline's state. Whoever
// can write them decides what runs without being asked. They are recognised by
// name, through symbolic links, and by what they are on disk (hard links, bind
// mounts, other spellings of a name).
type offLimits struct {
	named []string // absolute
	known atomic.Pointer[limits]
}

// limits is what was found out about them at one moment. It is never changed.
type limits struct {
	found time.Time
	names []string // absolute: as given, and every name that links lead to
	onDisk
	files numbered // those of onDisk that are off limits themselves
}

// onDisk is what is there of them, and the folders above.
type onDisk []existing

// existing is a file or folder that exists.
type existing struct {
	info fs.FileInfo
	off  []string // what is off limits in it, as a slash-separated path; "" for all of it
}

const (
	// lookAgain is how long reading goes by what is known. Before a change they are
	// always looked at again.
	lookAgain = time.Second
	// maxLinks bounds the symbolic links that are followed in one name.
	maxLinks = 100
	// maxListed is how many files of a folder are checked for hard links.
	maxListed = 1000
)

func newOffLimits(paths []string) *offLimits {
	o := &offLimits{}
	for _, p := range paths {
		if abs, err := filepath.Abs(p); p != "" && err == nil {
			o.named = append(o.named, abs)
		}
	}
	return o
}

// now returns what is off limits, found out at most age ago.
func (o *offLimits) now(age time.Duration) *limits {
	if l := o.known.Load(); l != nil && time.Since(l.found) < age {
		return l
	}
	l := &limits{found: time.Now()}
	for _, name := range o.named {
		l.add(name)
		entries := listed(name)
		for _, e := range entries {
			inner := filepath.Join(name, e.Name())
			if e.Type()&fs.ModeSymlink != 0 {
				l.add(inner) // what it leads to may be in the workspace
			} else if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				l.onDisk.add(info, "")
			}
		}
	}
	l.files = l.numbers()
	o.known.Store(l)
	return l
}

// listed returns the first files of a folder; none if name is no folder.
func listed(name string) []fs.DirEntry {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.IsDir() {
		return nil
	}
	entries, _ := f.ReadDir(maxListed) // what could be read counts
	return entries
}

// add takes an absolute name, what it leads to, and the folders that these are in.
func (l *limits) add(name string) {
	for _, name := range namesOf(name) {
		if slices.Contains(l.names, name) {
			continue
		}
		l.names = append(l.names, name)
		for at, rest := name, ""; ; at, rest = filepath.Dir(at), path.Join(filepath.Base(at), rest) {
			if info, err := os.Stat(at); err == nil {
				l.onDisk.add(info, rest)
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
}

func (d *onDisk) add(info fs.FileInfo, off string) {
	for i, p := range *d {
		if os.SameFile(p.info, info) {
			if !slices.Contains(p.off, off) {
				(*d)[i].off = append(p.off, off)
			}
			return
		}
	}
	*d = append(*d, existing{info, []string{off}})
}

// namesOf returns the absolute name and every name that following its symbolic
// links leads to, also where the last of them does not exist.
func namesOf(name string) []string {
	names := []string{name}
	for range maxLinks {
		next, ok := followOne(names[len(names)-1])
		if !ok || slices.Contains(names, next) {
			break
		}
		names = append(names, next)
	}
	if real, err := filepath.EvalSymlinks(name); err == nil && !slices.Contains(names, real) {
		names = append(names, real)
	}
	return names
}

// followOne puts what the first symbolic link in an absolute name leads to in its
// place.
func followOne(name string) (string, bool) {
	volume := filepath.VolumeName(name)
	parts := strings.Split(strings.Trim(name[len(volume):], string(filepath.Separator)), string(filepath.Separator))
	at := volume + string(filepath.Separator)
	for i, part := range parts {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if err != nil {
			return "", false
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		target, err := os.Readlink(at)
		if err != nil {
			return "", false
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(at), target)
		}
		return filepath.Join(append([]string{target}, parts[i+1:]...)...), true
	}
	return "", false
}

// has reports whether rel, in the folder base, is off limits. base is absolute, and
// there are no symbolic links in either.
func (l *limits) has(base, rel string) bool {
	if len(l.names) == 0 {
		return false
	}
	if l.named(filepath.Join(base, filepath.FromSlash(rel))) {
		return true
	}
	for at, rest := base, rel; ; {
		info, err := os.Lstat(at)
		if err != nil {
			return false // what is not there is known by its name
		}
		if l.covers(info, rest) {
			return true
		}
		if rest == "." || rest == "" {
			return false
		}
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		at = filepath.Join(at, part)
	}
}

// named reports whether an absolute name is one of those, or below one.
func (l *limits) named(abs string) bool {
	return slices.ContainsFunc(l.names, func(name string) bool { return isBelow(abs, name, filepath.Separator) })
}

// in returns the part that can lie in the folder base, an absolute name.
func (l *limits) in(base string) *limits {
	near := *l
	near.names = slices.DeleteFunc(slices.Clone(l.names), func(name string) bool {
		return !isBelow(name, base, filepath.Separator) && !isBelow(base, name, filepath.Separator)
	})
	return &near
}

// covers reports whether rest, below what info describes, is off limits.
func (d onDisk) covers(info fs.FileInfo, rest string) bool {
	for _, p := range d {
		if os.SameFile(p.info, info) {
			return slices.ContainsFunc(p.off, func(off string) bool { return off == "" || isBelow(rest, off, '/') })
		}
	}
	return false
}

// isBelow reports whether name is dir or below it, in whatever upper and lower case.
func isBelow(name, dir string, separator byte) bool {
	if len(name) < len(dir) || !strings.EqualFold(name[:len(dir)], dir) {
		return false
	}
	return len(name) == len(dir) || name[len(dir)] == separator || strings.HasSuffix(dir, string(separator))
}

// OffLimits refuses a path that no tool reads or changes, see [Options.OffLimits].
// The error is a [*Refusal]; that of a path which leads nowhere is nil.
func (rs *rootSet) OffLimits(path string) error { return rs.offLimitsAt(path, lookAgain) }

// offLimitsAt is OffLimits by what was found out at most age ago.
func (rs *rootSet) offLimitsAt(path string, age time.Duration) error {
	r, rel, err := rs.locate(path)
	if err != nil {
		return nil //nolint:nilerr // no path of the workspace
	}
	if real, err := r.follow(path, rel); err == nil {
		rel = real
	}
	if rs.offLimits.now(age).has(r.realDir(), rel) {
		return refuse(path, whyOwn)
	}
	return nil
}

// whyOwn is why a tool may not touch what belongs to Redline.
const whyOwn = "belongs to Redline itself and is not read or changed by tools"

// OffLimitsInside returns those of [Options.OffLimits] and the state directory that
// lie in a workspace folder, as they were given.
func (rs *rootSet) OffLimitsInside() []string {
	var inside []string
	for _, name := range rs.offLimits.named {
		lies := func(name string) bool {
			return slices.ContainsFunc(rs.allRoots(), func(r *root) bool {
				return isBelow(name, r.Dir, filepath.Separator) || isBelow(name, r.realDir(), filepath.Separator)
			})
		}
		if slices.ContainsFunc(namesOf(name), lies) {
			inside = append(inside, name)
		}
	}
	return inside
}

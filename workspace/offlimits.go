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

// offLimits are the files and folders that no tool reads or changes, although they may be
// in the workspace: the user's own settings and Redline's state. Whoever can write them
// decides what runs without approval. They are recognised by name, through symbolic links,
// and by identity on disk (hard links, bind mounts, other spellings of a name).
type offLimits struct {
	named []string // absolute
	known atomic.Pointer[limits]
}

// limits is what is off limits as of one moment. It is immutable.
type limits struct {
	found time.Time
	names []string // absolute: as given, and every name that links lead to
	onDisk
	files numbered // those of onDisk that are off limits themselves
}

// onDisk holds the limits that exist on disk, and the folders above them.
type onDisk []existing

// existing is a file or folder that exists.
type existing struct {
	info fs.FileInfo
	off  []string // slash-separated path of what is off limits in it; "" for all of it
}

const (
	// lookAgain is how long reads rely on the last look. Changes always look again.
	lookAgain = time.Second
	// maxLinks bounds the symbolic links to follow in one name.
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

// now returns what is off limits, as of at most age ago.
func (o *offLimits) now(age time.Duration) *limits {
	if l := o.known.Load(); l != nil && time.Since(l.found) < age {
		return l
	}
	l, seen := &limits{found: time.Now()}, map[string]fs.FileInfo{}
	for _, name := range o.named {
		l.add(name, seen)
		entries := listed(name)
		for _, e := range entries {
			inner := filepath.Join(name, e.Name())
			if e.Type()&fs.ModeSymlink != 0 {
				l.add(inner, seen) // its target may be in the workspace
			} else if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				l.onDisk.add(info, "")
			}
		}
	}
	l.files = l.numbers()
	o.known.Store(l)
	return l
}

// listed returns the first files of a folder, none if name is not a folder.
func listed(name string) []fs.DirEntry {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.IsDir() {
		return nil
	}
	entries, _ := f.ReadDir(maxListed) // after an error, the entries read so far count
	return entries
}

// add adds an absolute name, its link targets, and the folders above them. seen has what earlier
// calls found: the names are near each other.
func (l *limits) add(name string, seen map[string]fs.FileInfo) {
	for _, name := range namesOf(name) {
		if slices.Contains(l.names, name) {
			continue
		}
		l.names = append(l.names, name)
		for at, rest := name, ""; ; at, rest = filepath.Dir(at), path.Join(filepath.Base(at), rest) {
			info, known := seen[at]
			if !known {
				info, _ = os.Stat(at) //nolint:errcheck // nil then
				seen[at] = info
			}
			if info != nil {
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

// namesOf returns the absolute name and every name that its symbolic links lead to, even if
// the last one does not exist.
func namesOf(name string) []string {
	names := []string{name}
	for range maxLinks {
		next, ok := followOne(names[len(names)-1])
		if !ok || slices.Contains(names, next) {
			break
		}
		names = append(names, next)
	}
	if len(names) == 1 && !windows { // Windows has short names besides
		return names // there is no link, so nothing else can be its real name
	}
	if real, err := filepath.EvalSymlinks(name); err == nil && !slices.Contains(names, real) {
		names = append(names, real)
	}
	return names
}

// followOne replaces the first symbolic link in an absolute name by its target.
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

// has reports whether rel, in the folder dir, is off limits. rel contains no symbolic links. Of a
// folder that could not be opened, dir.real and dir.info are enough.
func (l *limits) has(dir opened, rel string) bool {
	if len(l.names) == 0 {
		return false
	}
	if l.named(filepath.Join(dir.real, filepath.FromSlash(rel))) {
		return true
	}
	for at, rest, info := dir.real, rel, dir.info; info != nil; { // a missing file can only be recognised by name
		if l.covers(info, rest) {
			return true
		}
		if rest == "." || rest == "" {
			return false
		}
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		at = filepath.Join(at, part)
		info, _ = os.Lstat(at) //nolint:errcheck // nil then
	}
	return false
}

// named reports whether an absolute name is off limits by name, or below such a name.
func (l *limits) named(abs string) bool {
	return slices.ContainsFunc(l.names, func(name string) bool { return isBelow(abs, name, filepath.Separator) })
}

// in returns the part of the limits that can be in the folder base, an absolute name.
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

// isBelow reports whether name is dir or below it, ignoring case.
func isBelow(name, dir string, separator byte) bool {
	if len(name) < len(dir) || !strings.EqualFold(name[:len(dir)], dir) {
		return false
	}
	return len(name) == len(dir) || name[len(dir)] == separator || strings.HasSuffix(dir, string(separator))
}

// OffLimits refuses a path that no tool reads or changes, see [Options.OffLimits]. The
// error is a [*Refusal]; it is nil for a path that leads nowhere.
func (rs *rootSet) OffLimits(path string) error { return rs.offLimitsAt(path, lookAgain) }

// offLimitsAt is OffLimits by a look that is at most age old.
func (rs *rootSet) offLimitsAt(path string, age time.Duration) error {
	r, rel, err := rs.locate(path)
	if err != nil {
		return nil //nolint:nilerr // not a path of the workspace
	}
	dir, err := r.look()
	if err != nil { // what cannot be opened can still be off limits
		dir.real = r.Dir
		dir.info, _ = os.Stat(r.Dir) //nolint:errcheck // nil then
	}
	if real, err := dir.follow(path, rel); err == nil {
		rel = real
	}
	if rs.offLimits.now(age).has(dir, rel) {
		return refuse(path, whyOwn)
	}
	return nil
}

// whyOwn is the reason why tools may not touch Redline's own files.
const whyOwn = "belongs to Redline itself and is not read or changed by tools"

// OffLimitsInside returns the paths of [Options.OffLimits] and the state directory that are
// in a workspace folder, as given.
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

package workspace

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// ownDir is the folder of Redline's own files, at the root of a workspace folder.
const ownDir = ".redline"

// maxName is the length limit of a name, in bytes; no system takes longer ones.
const maxName = 32 << 10

// Clean turns a name that a model or a user gives to a file ("./a/b.go", "a\b.go", an
// absolute name or a file URI inside the workspace) into its path; the workspace itself is
// ".". It looks at names only, not at the disk. It refuses, with a [*Refusal], names that
// no tool may touch: an empty name, anything outside the workspace, .git, Redline's own
// .redline, and the operating system's device names.
func (rs *rootSet) Clean(name string) (string, error) {
	switch {
	case name == "":
		return "", refuse("", "no file was named; name one, relative to the workspace")
	case len(name) > maxName:
		return "", refuse("", "the file name is too long")
	case strings.ContainsRune(name, 0):
		return "", refuse("", "a file name cannot hold a NUL byte")
	}
	clean, err := rs.cleaned(name)
	if err != nil {
		return "", err
	}
	if clean == "." {
		return clean, nil
	}
	_, rel, err := rs.locate(clean)
	if err != nil {
		return "", err
	}
	if why := reserved(rel); why != "" {
		return "", refuse(name, "%s", why)
	}
	// A file of a nested workspace folder belongs to that folder.
	abs, err := rs.Abs(clean)
	if err != nil {
		return "", err
	}
	if inner, ok := rs.pathOfAbs(abs); ok {
		return inner, nil
	}
	return clean, nil
}

// cleaned does the part of Clean that concerns spelling.
func (rs *rootSet) cleaned(name string) (string, error) {
	if len(name) >= 5 && strings.EqualFold(name[:5], "file:") {
		if clean, ok := rs.PathOf(name); ok {
			return clean, nil
		}
		return "", outside(name)
	}
	if filepath.IsAbs(name) {
		if clean, ok := rs.pathOfAbs(filepath.Clean(name)); ok {
			return clean, nil
		}
		return "", outside(name)
	}
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
		return "", outside(name)
	}
	return clean, nil
}

func outside(name string) error {
	return refuse(name, "is outside the workspace; name a file relative to its root")
}

// reserved returns why no tool may touch rel, a name inside a folder, or "".
func reserved(rel string) string {
	if why := inGit(rel); why != "" {
		return why
	}
	if inOwn(rel) {
		return whyOwn
	}
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return "is a name that the operating system keeps for itself"
	}
	return ""
}

// inGit returns why rel cannot be touched if a part of it is a .git folder or file in any
// spelling that some file system accepts, or "".
func inGit(rel string) string {
	if hasPart(rel, ".git") || hasPart(rel, "git~1") {
		return "is inside .git, which Redline does not touch"
	}
	return ""
}

// inOwn reports whether a part of rel is a .redline folder.
func inOwn(rel string) bool { return hasPart(rel, ownDir) }

// hasPart reports whether a part of rel is name on a file system that ignores case (macOS,
// Windows), invisible characters (macOS), or trailing spaces, dots and stream names
// (Windows).
func hasPart(rel, name string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		part, _, _ = strings.Cut(part, ":")
		part = strings.TrimRight(strings.Map(visible, part), ". ")
		if strings.EqualFold(part, name) {
			return true
		}
	}
	return false
}

// visible drops the characters that HFS+ ignores in names.
func visible(r rune) rune {
	switch {
	case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
		return -1
	}
	return r
}

// Abs returns the absolute name of path in the form of the operating system.
func (rs *rootSet) Abs(path string) (string, error) {
	r, rel, err := rs.locate(path)
	if err != nil {
		return "", err
	}
	return filepath.Join(r.Dir, filepath.FromSlash(rel)), nil
}

// pathOfAbs returns the path of the absolute name abs: by its spelling, else by the real
// location of its folder (/tmp is /private/tmp on macOS).
func (rs *rootSet) pathOfAbs(abs string) (string, bool) {
	roots := rs.allRoots()
	if p, ok := rs.within(roots, abs, func(r *root) string { return r.Dir }); ok {
		return p, true
	}
	if p, ok := rs.within(roots, abs, (*root).realDir); ok {
		return p, true
	}
	// An editor may reach the folder through a link. The last part is not resolved: an
	// editor treats a link as a file of its own.
	above, name := filepath.Split(abs)
	base := filepath.VolumeName(above) + string(filepath.Separator)
	above, err := realName(base, strings.Trim(filepath.ToSlash(above[len(base):]), "/"))
	if err != nil {
		return "", false
	}
	return rs.within(roots, filepath.Join(above, name), (*root).realDir)
}

// within returns the path of abs in the innermost folder that holds it.
func (rs *rootSet) within(roots []*root, abs string, dirOf func(*root) string) (string, bool) {
	var in *root
	var best, rel string
	for _, r := range roots {
		dir := dirOf(r)
		if out, err := filepath.Rel(dir, abs); err == nil && out != ".." && !strings.HasPrefix(out, ".."+string(filepath.Separator)) {
			if in == nil || len(dir) > len(best) {
				in, best, rel = r, dir, filepath.ToSlash(out)
			}
		}
	}
	if in == nil {
		return "", false
	}
	return rs.pathIn(in, rel), true
}

// windows reports whether names have drive letters.
const windows = runtime.GOOS == "windows"

// WorkFolder turns a model's name for a folder to work in into its path, like
// [Workspace.Clean]; "" is the root of the workspace, of several folders the first. It
// refuses what exists but is not a folder, and what is reached through a symbolic link,
// because a reader takes the name for the place. It accepts a missing folder, since a plan
// may create it.
func (d *files) WorkFolder(name string) (path string, err error) {
	clean, err := d.roots.Clean(name)
	if err != nil {
		return "", err
	}
	if clean == "." {
		return "", nil
	}
	_, rel, err := d.roots.locate(clean)
	if err != nil {
		return "", err
	}
	r, real, err := d.roots.resolve(clean)
	switch {
	case err != nil:
		return "", err
	case real != rel:
		return "", refuse(clean, "is reached through a symbolic link; name the folder that it leads to")
	}
	dir, err := r.open()
	if err != nil {
		return "", err
	}
	if info, err := dir.Stat(rel); err == nil && !info.IsDir() {
		return "", refuse(clean, "is a file; name a folder to run the command in")
	}
	return clean, nil
}

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
	dir, rel, err := d.roots.openAt(p, d.roots.locate)
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
	dir, rel, err := d.roots.openAt(p, d.roots.locate)
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
	dir, rel, err := d.roots.openAt(p, d.roots.resolve)
	if err != nil {
		return nil, err
	}
	return dir.Lstat(rel)
}

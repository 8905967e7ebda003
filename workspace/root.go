package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// root is a workspace folder and the handle that reaches its files.
type root struct {
	Folder
	access func() // see Options.Access; nil for none
	index  indexes

	mu  sync.Mutex
	dir opened // its Root is nil until first used
}

// opened is the directory behind a workspace folder, as one look found it.
type opened struct {
	*os.Root
	info fs.FileInfo // of the directory
	real string      // its absolute name without symbolic links
}

// open returns the handle of look.
func (r *root) open() (*os.Root, error) {
	dir, err := r.look()
	return dir.Root, err
}

// look returns the folder's directory. It notices a directory that appeared, disappeared or was
// replaced since the last call. Handles returned before stay usable; the collector closes them.
func (r *root) look() (opened, error) {
	if r.access != nil {
		r.access()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	info, err := os.Stat(r.Dir)
	if err != nil {
		r.dir = opened{}
		return opened{}, refuseFor("the workspace folder "+r.Dir, "opened", err)
	}
	if r.dir.Root != nil && os.SameFile(info, r.dir.info) {
		return r.dir, nil
	}
	r.dir = opened{}
	if !info.IsDir() {
		return opened{}, refuse("the workspace folder "+r.Dir, "is not a folder")
	}
	dir, err := os.OpenRoot(r.Dir)
	if err != nil {
		return opened{}, refuseFor("the workspace folder "+r.Dir, "opened", err)
	}
	real, err := filepath.EvalSymlinks(r.Dir)
	if err != nil {
		return opened{}, refuseFor("the workspace folder "+r.Dir, "opened", err)
	}
	r.dir = opened{dir, info, real}
	return r.dir, nil
}

// realDir returns the folder's directory without symbolic links, or as given if it cannot
// be opened.
func (r *root) realDir() string {
	dir, err := r.look()
	if err != nil {
		return r.Dir
	}
	return dir.real
}

// rootSet owns the workspace folders. It maps paths to files, and knows which paths are off
// limits.
type rootSet struct {
	offLimits *offLimits
	access    func() // see Options.Access

	mu  sync.RWMutex
	all []*root // replaced as a whole, never changed in place
}

// Folders returns the workspace folders with their unique names, in order.
func (rs *rootSet) Folders() []Folder {
	var folders []Folder
	for _, r := range rs.allRoots() {
		folders = append(folders, r.Folder)
	}
	return folders
}

// Single reports whether the workspace has at most one folder, so that paths do not start
// with a folder's name.
func (rs *rootSet) Single() bool { return len(rs.allRoots()) <= 1 }

func (rs *rootSet) allRoots() []*root {
	rs.mu.RLock()
	defer rs.mu.RUnlock()
	return rs.all
}

func (rs *rootSet) set(roots []*root) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	rs.all = roots
}

// locate returns the folder of path and the name relative to it.
func (rs *rootSet) locate(path string) (*root, string, error) {
	if !fs.ValidPath(path) || strings.ContainsRune(path, 0) {
		return nil, "", refuse(path, "is not a path inside the workspace")
	}
	roots := rs.allRoots()
	switch len(roots) {
	case 0:
		return nil, "", refuse("", "no workspace folder is open; open a folder in the editor and try again")
	case 1:
		return roots[0], path, nil
	}
	name, rest, _ := strings.Cut(path, "/")
	for _, r := range roots {
		if r.Name == name {
			if rest == "" {
				rest = "."
			}
			return r, rest, nil
		}
	}
	return nil, "", refuse(path, "must start with the name of a workspace folder: %s", folderNames(roots))
}

func folderNames(roots []*root) string {
	var names []string
	for _, r := range roots {
		names = append(names, r.Name)
	}
	return strings.Join(names, ", ")
}

// pathIn returns the workspace path of rel in folder r.
func (rs *rootSet) pathIn(r *root, rel string) string {
	if rs.Single() {
		return rel
	}
	return path.Join(r.Name, rel)
}

// resolve returns the folder of path and the file's name in it with all symbolic links
// followed; the last part need not exist. It refuses links that lead out of the folder,
// into .git, or into or out of Redline's own files, and everything off limits (see
// [Options.OffLimits]).
func (rs *rootSet) resolve(path string) (*root, string, error) {
	r, rel, err := rs.locate(path)
	if err != nil {
		return nil, "", err
	}
	dir, err := r.look()
	if err != nil {
		return nil, "", err
	}
	real, err := dir.follow(path, rel)
	if err != nil {
		return nil, "", err
	}
	if why := inGit(real); why != "" {
		return nil, "", refuse(path, "%s", why)
	}
	if rs.offLimits.now(lookAgain).has(dir, real) {
		return nil, "", refuse(path, whyOwn)
	}
	if inOwn(real) != inOwn(rel) {
		return nil, "", refuse(path, "is a symbolic link into or out of Redline's own files, which is not followed")
	}
	return r, real, nil
}

// follow returns rel with all symbolic links followed, relative to the folder. It keeps the
// parts after the last existing one.
func (d opened) follow(named, rel string) (string, error) {
	real, err := realName(d.real, rel)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
		return "", refuse(named, "is a symbolic link to something that does not exist")
	case isErrno(err):
		return "", refuseFor(named, "read", err)
	default: // EvalSymlinks reports a loop with an untyped error
		return "", refuse(named, "is a symbolic link that cannot be followed")
	}
	out, err := filepath.Rel(d.real, real)
	if err != nil || !filepath.IsLocal(out) {
		return "", refuse(named, "is a symbolic link that leads out of the workspace")
	}
	return filepath.ToSlash(out), nil
}

// realName returns the absolute name of rel in base, an absolute name without symbolic
// links. It follows links in rel as far as the name exists. A part that exists but cannot
// be followed is an error.
func realName(base, rel string) (string, error) {
	there, links := 0, false
	for i := range len(rel) + 1 {
		if i == len(rel) || rel[i] == '/' {
			info, err := os.Lstat(filepath.Join(base, filepath.FromSlash(rel[:i])))
			if errors.Is(err, fs.ErrNotExist) {
				break
			}
			links = links || err != nil || info.Mode()&fs.ModeType&^fs.ModeDir != 0
			there = i
		}
	}
	if !links { // the usual case: nothing to follow
		return filepath.Join(base, filepath.FromSlash(rel)), nil
	}
	real, err := filepath.EvalSymlinks(filepath.Join(base, filepath.FromSlash(rel[:there])))
	if err != nil {
		return "", err
	}
	return filepath.Join(real, filepath.FromSlash(rel[there:])), nil
}

func isErrno(err error) bool {
	_, ok := errors.AsType[syscall.Errno](err)
	return ok
}

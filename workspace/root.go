package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
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
			rest = cmp.Or(rest, ".")
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

// openAt opens the workspace folder of a path, and returns the name in it that find, which is locate
// or resolve, has for the path.
func (rs *rootSet) openAt(path string, find func(path string) (*root, string, error)) (dir *os.Root, rel string, err error) {
	r, rel, err := find(path)
	if err != nil {
		return nil, "", err
	}
	dir, err = r.open()
	return dir, rel, err
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

// Folder is one folder of the workspace.
type Folder struct {
	Name string // prefix of paths if there are several folders; the workspace makes it unique
	Dir  string // absolute; derived from URI if empty
	URI  string // as the client spelled it, "" from the command line
}

// normalised derives missing fields and drops invalid ones.
func (f Folder) normalised() Folder {
	if f.Dir == "" && f.URI != "" {
		f.Dir, _ = dirOfURI(f.URI)
	}
	if f.Dir != "" {
		f.Dir = filepath.Clean(f.Dir)
	}
	if f.Name == "" || f.Name == "." || f.Name == ".." || strings.ContainsAny(f.Name, "/\\\x00") || reserved(f.Name) != "" {
		f.Name = filepath.Base(f.Dir)
	}
	if strings.ContainsAny(f.Name, "/\\") || f.Name == "." {
		f.Name = "root"
	}
	f.Name = strings.ToValidUTF8(f.Name, "_") // paths begin with it, and are UTF-8
	return f
}

// MaxFolders is how many folders a workspace can have. Further ones are left out: each costs time
// in every search.
const MaxFolders = 1000

// addRoots returns roots with the roots of folders added, under unique names. A folder that is in
// roots already, has no directory or is one too many changes nothing.
func (rs *rootSet) addRoots(roots []*root, folders []Folder) []*root {
	dirs, names := map[string]bool{}, map[string]bool{}
	for _, r := range roots {
		dirs[r.Dir], names[r.Name] = true, true
	}
	next := map[string]int{} // the number that makes a name unique
	all := slices.Clone(roots)
	for _, f := range folders {
		if f = f.normalised(); f.Dir == "" || dirs[f.Dir] || len(all) >= MaxFolders {
			continue
		}
		name := f.Name
		for names[f.Name] {
			next[name] = max(next[name], 1) + 1
			f.Name = fmt.Sprintf("%s-%d", name, next[name])
		}
		dirs[f.Dir], names[f.Name] = true, true
		all = append(all, &root{Folder: f, access: rs.access})
	}
	return all
}

// Find returns the workspace folder for the command line: the nearest parent of dir (itself
// included) that holds .redline or .git, else dir itself. A parent counts only if it and
// that entry belong to the user, or if trusted names it: Redline reads and follows the
// files of such a folder, and in a shared one anybody could have put them there. The folder
// dir counts whoever owns it. passed is the nearest parent that was skipped for this
// reason, "" for none.
//
// trusted are absolute folders; "*" is every folder, and "/srv/*" those below /srv.
func Find(dir string, trusted []string) (found Folder, passed string) {
	return find(dir, trusted, belongsToUser)
}

// find is Find with a replaceable check of whether the user owns a file or folder.
func find(dir string, trusted []string, owned func(name string) bool) (found Folder, passed string) {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	for at := dir; ; at = filepath.Dir(at) {
		for _, mark := range []string{ownDir, ".git"} {
			mark = filepath.Join(at, mark)
			if _, err := os.Lstat(mark); err != nil {
				continue
			}
			if at == dir || owned(at) && owned(mark) || isTrusted(at, trusted) {
				return Folder{Dir: at}.normalised(), passed
			}
			passed = cmp.Or(passed, at)
		}
		if at == filepath.Dir(at) {
			return Folder{Dir: dir}.normalised(), passed
		}
	}
}

// isTrusted reports whether the list names a folder.
func isTrusted(dir string, trusted []string) bool {
	names := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		names = append(names, real)
	}
	return slices.ContainsFunc(trusted, func(t string) bool {
		if t == "*" {
			return true
		}
		above, below := strings.CutSuffix(filepath.ToSlash(t), "/*")
		if real, err := filepath.EvalSymlinks(filepath.FromSlash(above)); err == nil {
			above = filepath.ToSlash(real)
		}
		return slices.ContainsFunc(names, func(name string) bool {
			name = filepath.ToSlash(name)
			return name == above || name == filepath.ToSlash(t) || below && strings.HasPrefix(name, strings.TrimSuffix(above, "/")+"/")
		})
	})
}

// belongsToUser reports whether a file or folder belongs to the user that runs this
// program, by git's rule: root also owns what the user who called sudo owns. Where files
// have no such owner, it is always true.
func belongsToUser(name string) bool {
	info, err := os.Lstat(name)
	if err != nil {
		return false
	}
	uid, _, ok := ownerOf(info)
	return !ok || isUser(uid, os.Geteuid(), os.Getenv("SUDO_UID"))
}

// isUser reports whether the owner of a file is the user. For root, sudo (SUDO_UID) may
// name the user who became root.
func isUser(owner, user int, sudo string) bool {
	if owner == user {
		return true
	}
	caller, err := strconv.Atoi(sudo)
	return user == 0 && err == nil && caller == owner
}

// OwnerOf returns the name of a folder without symbolic links, and the user id of its owner;
// -1 if it is unknown, as on systems without user ids.
func OwnerOf(dir string) (name string, uid int) {
	name, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return filepath.Clean(dir), -1
	}
	info, err := os.Stat(name)
	if err != nil {
		return name, -1
	}
	uid, _, ok := ownerOf(info)
	if !ok {
		return name, -1
	}
	return name, uid
}

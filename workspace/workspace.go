// Package workspace holds the user's files in their live state: the open buffers over the
// disk, the workspace folders, ignored and secret files, and [Disk], the editor that
// changes files on disk.
//
// A path, here and everywhere in Redline, is relative to the workspace, slash-separated and
// cleaned ("a/b.go"). With several workspace folders it starts with its folder's name
// ("api/a/b.go"). Every access to the disk goes through an [os.Root] for each folder, so
// that no name and no symbolic link reaches outside. Only [Own] (below .redline/) and
// [Disk] write.
package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"unicode"

	"redline/edits"
	"redline/workspace/leftover"
)

// Options are the settings of a workspace besides its folders.
type Options struct {
	// StateDir is the directory of Redline's database, and of its own files if the
	// workspace is not writable. If it is inside the workspace folder, it is excluded from
	// the workspace. Empty: no state directory.
	StateDir string
	// OffLimits are absolute paths of files and folders that no tool reads or changes
	// wherever they are, such as the user's own settings; the state directory is one of
	// them. They need not exist, and are recognised through symbolic links, hard links and
	// other spellings of their names.
	//
	// The state directory has a further reason: opening and closing the database there
	// would drop the locks that SQLite holds on it (fcntl(2), on POSIX systems).
	OffLimits []string
	// MaxFile is the size in bytes above which a file is not read. Zero means 8 MiB.
	MaxFile int64
	// Charsets are the rules of the user's settings about the charsets of files. The longest
	// glob that matches a file counts. They precede those of .editorconfig.
	Charsets []CharsetRule
	// Access, if set, is called before each access to the disk through a folder's
	// directory. Tests use it to simulate a slow disk and find out who waits for it.
	Access func()
}

// Workspace is the user's files in their live state. Its methods may be called from any
// goroutine; those that change buffers run one at a time, in the order of the calls.
//
// It consists of three parts, each with its own state; open buffers take precedence over
// the files on disk.
type Workspace struct {
	*rootSet // the folders: which path is which file
	*files   // the disk
	*buffers // the documents open in the editor

	secretNames secretIndex
	changes     diskChanges
	hashes      contentHashes

	stateDir string
	guard    atomic.Pointer[func(path string) (why string)] // see Guard; nil for none
}

// New returns the workspace of folders. It does not access the disk.
func New(folders []Folder, opts Options) *Workspace {
	roots := &rootSet{access: opts.Access, offLimits: newOffLimits(append(slices.Clip(opts.OffLimits), opts.StateDir))}
	disk := &files{roots: roots, maxFile: opts.MaxFile, left: leftover.New(opts.StateDir), charsets: opts.Charsets}
	if disk.maxFile <= 0 {
		disk.maxFile = 8 << 20
	}
	open := &buffers{files: disk, all: map[string]*Buffer{}, byPath: map[string]string{}}
	w := &Workspace{rootSet: roots, files: disk, buffers: open, stateDir: opts.StateDir}
	w.SetFolders(folders)
	return w
}

// SetFolders replaces the workspace folders. Open buffers stay open and get their paths in
// the new folders.
func (w *Workspace) SetFolders(folders []Folder) {
	w.setRoots(w.addRoots(nil, folders))
}

// AddFolder appends a workspace folder. Adding it again has no effect.
func (w *Workspace) AddFolder(f Folder) { w.ChangeFolders([]Folder{f}, nil) }

// RemoveFolder removes the workspace folder with the directory (or the URI) of f.
func (w *Workspace) RemoveFolder(f Folder) { w.ChangeFolders(nil, []Folder{f}) }

// ChangeFolders removes workspace folders by their directories (or URIs), then appends others.
func (w *Workspace) ChangeFolders(added, removed []Folder) {
	gone := map[string]bool{}
	for _, f := range removed {
		gone[f.normalised().Dir] = true
	}
	kept := slices.DeleteFunc(slices.Clone(w.allRoots()), func(r *root) bool { return gone[r.Dir] })
	w.setRoots(w.addRoots(kept, added))
}

func (w *Workspace) setRoots(roots []*root) {
	w.moveTo(func() { w.rootSet.set(roots) })
}

// Refusal is the error for a path problem that the model or the user can correct. Its text
// is one sentence.
type Refusal struct {
	Path   string // the path concerned; "" if the reason stands by itself
	Reason string // continues the path: "is a folder; name a file in it"
}

func (r *Refusal) Error() string {
	if r.Path == "" {
		return r.Reason
	}
	if strings.ContainsFunc(r.Path, unicode.IsControl) {
		return strconv.Quote(r.Path) + " " + r.Reason
	}
	return r.Path + " " + r.Reason
}

func refuse(path, format string, args ...any) *Refusal {
	return &Refusal{Path: path, Reason: fmt.Sprintf(format, args...)}
}

// refuseFor turns an error of the operating system into a refusal that says what to do.
// doing completes "cannot be …".
func refuseFor(path, doing string, err error) *Refusal {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r
	}
	why := cause(err).Error()
	switch {
	case errors.Is(err, syscall.ENOSPC):
		why = "the disk is full; free some space and try again"
	case errors.Is(err, syscall.EDQUOT):
		why = "your disk quota is used up; free some space and try again"
	case errors.Is(err, syscall.EROFS):
		why = "the file system is read-only"
	case errors.Is(err, syscall.ENAMETOOLONG):
		why = "the name is too long"
	case errors.Is(err, syscall.ENOTDIR):
		why = "a part of its path is a file, not a folder"
	case errors.Is(err, fs.ErrPermission):
		why = "permission was denied; check who may write the file and its folder"
		if doing == "read" {
			why = "permission was denied; check who may read it"
		}
	case errors.Is(err, fs.ErrExist):
		return refuse(path, "exists already and is not overwritten")
	case errors.Is(err, fs.ErrNotExist):
		return refuse(path, "does not exist")
	}
	return refuse(path, "cannot be %s: %s", doing, why)
}

// cause removes the operation and the temporary name from a file system error.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	return err
}

// Guard registers may, which is called once for each file just before it is changed, here
// or through an editor. It returns why the file must not change, or "".
func (w *Workspace) Guard(may func(path string) (why string)) { w.guard.Store(&may) }

// Guarded returns why a change must not be made now, "" if it may be. Paths that are off
// limits are always refused.
func (w *Workspace) Guarded(c edits.Change) (why string) {
	may := w.guard.Load()
	for _, path := range []string{c.Path, c.NewPath} {
		if path == "" {
			continue
		}
		if err := w.offLimitsAt(path, 0); err != nil {
			return err.Error()
		}
		if may == nil {
			continue
		}
		if why := (*may)(path); why != "" {
			return why
		}
	}
	return ""
}

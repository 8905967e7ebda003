// Package workspace is the user's files as they are now: the open buffers over
// the disk, the folders they lie in, what is ignored and what is secret, and
// the one editor that is only a disk.
//
// A path, here and everywhere in Redline, is relative to the workspace,
// slash-separated and cleaned ("a/b.go"). With several workspace folders it
// starts with its folder's name ("api/a/b.go"). Every access to the disk goes
// through an [os.Root] for each folder, so that no name and no symbolic link
// reaches outside. Nothing here writes but [Own] (below .redline/) and [Disk].
package workspace

import (
	"slices"
	"sync/atomic"

	"redline/workspace/leftover"
)

// Options are what a workspace needs to know besides its folders.
type Options struct {
	// StateDir is where Redline keeps its database, and where its own files go
	// when the workspace cannot be written. It may lie in the workspace: it is
	// not part of it then. Empty: there is no such place.
	StateDir string
	// OffLimits are absolute paths of files and folders that no tool reads or
	// changes wherever they lie, such as the user's own settings; the state
	// directory is one of them. They need not exist, and are recognised through
	// symbolic links, hard links and other spellings of their names.
	//
	// The state directory has a further reason: opening and closing the database there
	// would drop the locks that SQLite holds on it (fcntl(2), on POSIX systems).
	OffLimits []string
	// MaxFile is the size in bytes above which a file is not read.
	// Zero means 8 MiB.
	MaxFile int64
	// Access is called before the disk is looked at, by whoever does it, and as often as
	// the folder's directory is needed for that. Tests make a disk slow with it, and find
	// out who waits for one. Nil: nothing is called.
	Access func()
}

// Workspace is the user's files as they are now. Its methods may be called from
// any goroutine; those that change buffers run one at a time, in the order in
// which they are called.
//
// It lays the open buffers over the files on disk; each of the parts owns what it is
// about.
type Workspace struct {
	*rootSet // the folders: which path is which file
	*files   // what is on disk
	*buffers // what is open in the editor

	stateDir string
	guard    atomic.Pointer[func(path string) (why string)] // see Guard; nil for none
}

// New returns the workspace of folders. It touches nothing on disk.
func New(folders []Folder, opts Options) *Workspace {
	roots := &rootSet{access: opts.Access, offLimits: newOffLimits(append(slices.Clip(opts.OffLimits), opts.StateDir))}
	disk := &files{roots: roots, maxFile: opts.MaxFile, left: leftover.New(opts.StateDir)}
	if disk.maxFile <= 0 {
		disk.maxFile = 8 << 20
	}
	open := &buffers{files: disk, all: map[string]*Buffer{}, byPath: map[string]string{}}
	w := &Workspace{rootSet: roots, files: disk, buffers: open, stateDir: opts.StateDir}
	w.SetFolders(folders)
	return w
}

// SetFolders replaces the workspace folders. Open buffers stay open and get the
// paths that they have in the new folders.
func (w *Workspace) SetFolders(folders []Folder) {
	var roots []*root
	for _, f := range folders {
		roots = w.addRoot(roots, f)
	}
	w.setRoots(roots)
}

// AddFolder adds a workspace folder at the end. Adding a folder twice is once.
func (w *Workspace) AddFolder(f Folder) { w.setRoots(w.addRoot(w.allRoots(), f)) }

// RemoveFolder removes the workspace folder with the directory (or the URI) of f.
func (w *Workspace) RemoveFolder(f Folder) {
	dir := f.normalised().Dir
	w.setRoots(slices.DeleteFunc(slices.Clone(w.allRoots()), func(r *root) bool { return r.Dir == dir }))
}

func (w *Workspace) setRoots(roots []*root) {
	w.moveTo(func() { w.rootSet.set(roots) })
}

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
	"sync"
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
}

// Workspace is the user's files as they are now. Its methods may be called from
// any goroutine; those that change buffers run one at a time, in the order in
// which they are called.
type Workspace struct {
	stateDir  string
	maxFile   int64
	left      *leftover.Ledger
	offLimits *offLimits

	rootsMu sync.RWMutex
	roots   []*root // replaced as a whole, never changed in place

	events    sync.Mutex // held while one buffer changes and its observers run
	observers []func(BufferEvent)

	buffersMu sync.RWMutex
	buffers   map[string]*Buffer // by URI, as the client spelled it
	opened    []string           // URIs of the buffers, in the order of opening
	byPath    map[string]string  // path → URI of the buffer opened last
	wake      chan struct{}      // closed at the next buffer event; nil while nobody waits

	guard atomic.Pointer[func(path string) (why string)] // see Guard; nil for none
}

// New returns the workspace of folders. It touches nothing on disk.
func New(folders []Folder, opts Options) *Workspace {
	w := &Workspace{
		stateDir: opts.StateDir,
		maxFile:  opts.MaxFile,
		left:     leftover.New(opts.StateDir),
		buffers:  map[string]*Buffer{},
		byPath:   map[string]string{},

		offLimits: newOffLimits(append(slices.Clip(opts.OffLimits), opts.StateDir)),
	}
	if w.maxFile <= 0 {
		w.maxFile = 8 << 20
	}
	w.SetFolders(folders)
	return w
}

// Leftovers writes down what is temporary, see package leftover.
func (w *Workspace) Leftovers() *leftover.Ledger { return w.left }

// MaxFile returns the size in bytes above which a file is not read.
func (w *Workspace) MaxFile() int64 { return w.maxFile }

// Folders returns the workspace folders with their unique names, in order.
func (w *Workspace) Folders() []Folder {
	var folders []Folder
	for _, r := range w.allRoots() {
		folders = append(folders, r.Folder)
	}
	return folders
}

// Single says whether the workspace has at most one folder, so that paths do
// not start with a folder's name.
func (w *Workspace) Single() bool { return len(w.allRoots()) <= 1 }

// SetFolders replaces the workspace folders. Open buffers stay open and get the
// paths that they have in the new folders.
func (w *Workspace) SetFolders(folders []Folder) {
	var roots []*root
	for _, f := range folders {
		roots = addRoot(roots, f)
	}
	w.setRoots(roots)
}

// AddFolder adds a workspace folder at the end. Adding a folder twice is once.
func (w *Workspace) AddFolder(f Folder) { w.setRoots(addRoot(w.allRoots(), f)) }

// RemoveFolder removes the workspace folder with the directory (or the URI) of f.
func (w *Workspace) RemoveFolder(f Folder) {
	dir := f.normalised().Dir
	w.setRoots(slices.DeleteFunc(slices.Clone(w.allRoots()), func(r *root) bool { return r.Dir == dir }))
}

func (w *Workspace) allRoots() []*root {
	w.rootsMu.RLock()
	defer w.rootsMu.RUnlock()
	return w.roots
}

func (w *Workspace) setRoots(roots []*root) {
	w.events.Lock()
	defer w.events.Unlock()
	w.rootsMu.Lock()
	w.roots = roots
	w.rootsMu.Unlock()
	w.replaceBuffers()
}

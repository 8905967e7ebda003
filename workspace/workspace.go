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
	"slices"
	"sync/atomic"

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

	stateDir string
	guard    atomic.Pointer[func(path string) (why string)] // see Guard; nil for none
}

// New returns the workspace of folders. It does not access the disk.
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

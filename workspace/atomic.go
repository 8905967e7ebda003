package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"redline/workspace/leftover"
)

// tempFile is what is needed of a file while it is written.
type tempFile interface {
	io.WriteCloser
	Stat() (fs.FileInfo, error)
	Chmod(fs.FileMode) error
	Chown(uid, gid int) error
	Sync() error
}

// openTemp makes the new file name, which must not be there yet.
type openTemp func(dir *os.Root, name string, mode fs.FileMode) (tempFile, error)

// replacer writes files beside their place before it puts them there. A test can
// put a full disk under it.
type replacer struct {
	open openTemp
	left *leftover.Ledger // of what is beside its place
}

func (d *files) replacer() replacer { return replacer{openFile, d.left} }

func openFile(dir *os.Root, name string, mode fs.FileMode) (tempFile, error) {
	return dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

// like is what a new file is to have in common with another.
type like struct {
	mode     fs.FileMode // 0: what the user gives new files
	uid, gid int
	owned    bool // uid and gid are known
	bom      bool // a byte order mark comes before the text
}

func likeFile(info fs.FileInfo, bom bool) like {
	l := like{bom: bom, mode: info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)}
	l.uid, l.gid, l.owned = ownerOf(info)
	return l
}

// replace puts a file with text in the place of rel in one step.
func (r replacer) replace(dir *os.Root, rel, text string, l like) error {
	temp, forget, err := r.write(dir, rel, text, l)
	if err != nil {
		return err
	}
	defer forget()
	if err := dir.Rename(temp, rel); err != nil {
		dir.Remove(temp)
		return err
	}
	syncDir(dir, rel)
	return nil
}

// create puts a file with text at rel in one step, where nothing may be.
func (r replacer) create(dir *os.Root, rel, text string, l like) error {
	temp, forget, err := r.write(dir, rel, text, l)
	if err != nil {
		return err
	}
	defer forget()
	err = dir.Link(temp, rel)
	if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
		err = moveNew(dir, temp, rel) // no links on this file system
	}
	dir.Remove(temp)
	if err == nil {
		syncDir(dir, rel)
	}
	return err
}

// respell puts a file with text in the place of old and calls it rel, which
// differs from old in case only and is the same file.
func (r replacer) respell(dir *os.Root, old, rel, text string, l like) error {
	temp, forget, err := r.write(dir, old, text, l)
	if err != nil {
		return err
	}
	defer forget()
	if err := dir.Rename(temp, old); err != nil {
		dir.Remove(temp)
		return err
	}
	forget() // the only copy of the file goes by this name in between
	if err := dir.Rename(old, temp); err != nil {
		return err
	}
	if err := dir.Rename(temp, rel); err != nil {
		return errors.Join(err, dir.Rename(temp, old))
	}
	syncDir(dir, rel)
	return nil
}

// moveNew renames temp to rel, where nothing may be: an empty file of ours holds
// the place until then.
func moveNew(dir *os.Root, temp, rel string) error {
	f, err := dir.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	if err := dir.Rename(temp, rel); err != nil {
		dir.Remove(rel)
		return err
	}
	return nil
}

// write writes text to a new file beside rel, safely on disk, and returns its
// name. forget is to be called once it is not called that any more. After an error
// there is no such file.
func (r replacer) write(dir *os.Root, rel, text string, l like) (temp string, forget func(), err error) {
	temp = path.Join(path.Dir(rel), leftover.Name(leftover.File))
	forget = r.left.Note(filepath.Join(dir.Name(), filepath.FromSlash(temp)))
	if err := r.fill(dir, temp, text, l); err != nil {
		forget()
		return "", nil, err
	}
	return temp, forget, nil
}

// fill makes the file temp and writes it. After an error there is no such file.
func (r replacer) fill(dir *os.Root, temp, text string, l like) error {
	mode := fs.FileMode(0o644)
	if l.mode != 0 {
		mode = 0o600 // nobody else's until the owner is set
	}
	f, err := r.open(dir, temp, mode)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, marked(l.bom)+text)
	if err == nil && l.mode != 0 {
		err = l.give(f)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		dir.Remove(temp)
	}
	return err
}

// give gives f the owner, where that is allowed, and the mode of l.
func (l like) give(f tempFile) error {
	mode := l.mode
	if l.owned {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		uid, gid, _ := ownerOf(info)
		if (uid != l.uid || gid != l.gid) && f.Chown(l.uid, l.gid) != nil {
			mode = mode.Perm() // set-user-id would be for another user now
		}
	}
	return f.Chmod(mode)
}

// makeParents makes the folders above rel and returns those that it made, the
// innermost first, also when it fails half way.
func makeParents(dir *os.Root, rel string) (made []string, err error) {
	parent := path.Dir(rel)
	if parent == "." {
		return nil, nil
	}
	info, err := dir.Stat(parent)
	switch {
	case err == nil && !info.IsDir():
		return nil, syscall.ENOTDIR
	case err == nil:
		return nil, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if made, err = makeParents(dir, parent); err != nil {
		return made, err
	}
	if err := dir.Mkdir(parent, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) { // somebody else made it just now
			return made, nil
		}
		return made, err
	}
	return append([]string{parent}, made...), nil
}

// removeFolders takes away folders, the innermost first, as far as they are
// empty.
func removeFolders(dir *os.Root, names []string) {
	for _, name := range names {
		if dir.Remove(name) != nil {
			return
		}
	}
}

// syncDir writes the folder of rel to disk, so that a new name survives a crash
// of the system. Some file systems cannot; the name is visible all the same.
func syncDir(dir *os.Root, rel string) {
	if f, err := dir.Open(path.Dir(rel)); err == nil {
		f.Sync()
		f.Close()
	}
}

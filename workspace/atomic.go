package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"redline/edits"
	"redline/edits/charset"
	"redline/workspace/leftover"
)

// tempFile is the part of [os.File] that writing a file needs.
type tempFile interface {
	io.WriteCloser
	Stat() (fs.FileInfo, error)
	Chmod(fs.FileMode) error
	Chown(uid, gid int) error
	Sync() error
}

// openTemp creates the file name, which must not exist.
type openTemp func(dir *os.Root, name string, mode fs.FileMode) (tempFile, error)

// replacer writes a new file beside the old one, then renames it. A test can simulate a
// full disk with it.
type replacer struct {
	open openTemp
	left *leftover.Ledger // records the temporary files
}

func (d *files) replacer() replacer { return replacer{openFile, d.left} }

func openFile(dir *os.Root, name string, mode fs.FileMode) (tempFile, error) {
	return dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
}

// like holds the attributes that a new file takes over from another.
type like struct {
	mode     fs.FileMode // 0: the user's default for new files
	program  bool        // without mode: the file is executable
	uid, gid int
	owned    bool // uid and gid are known
	bom      bool // a byte order mark comes before the text
	charset  charset.Charset
	restored bool             // the file was there before, in this charset
	asked    *charset.Charset // if not nil: in place of one that a rule names
	ours     bool             // Redline can write it again: its name need not survive a crash of the system
}

// newLike returns the attributes of a new file for which mode was asked.
func newLike(mode uint32) like {
	return like{program: edits.NewMode(mode)&0o111 != 0}
}

func likeFile(info fs.FileInfo, is content) like {
	l := like{bom: is.bom, charset: is.charset, mode: info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)}
	l.uid, l.gid, l.owned = ownerOf(info)
	return l
}

// replace atomically replaces the file rel with one that holds content.
func (r replacer) replace(dir *os.Root, rel, content string, l like) error {
	temp, forget, err := r.write(dir, rel, content, l)
	if err != nil {
		return err
	}
	defer forget()
	if err := dir.Rename(temp, rel); err != nil {
		dir.Remove(temp)
		return err
	}
	if !l.ours {
		syncDir(dir, rel)
	}
	return nil
}

// create atomically creates the file rel with content. It fails if rel exists.
func (r replacer) create(dir *os.Root, rel, content string, l like) error {
	temp, forget, err := r.write(dir, rel, content, l)
	if err != nil {
		return err
	}
	defer forget()
	err = dir.Link(temp, rel)
	if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
		err = moveNew(dir, temp, rel) // the file system has no hard links
	}
	dir.Remove(temp)
	if err == nil {
		syncDir(dir, rel)
	}
	return err
}

// respell atomically replaces old, and names it rel: the same file, spelled with other
// upper and lower case.
func (r replacer) respell(dir *os.Root, old, rel, content string, l like) error {
	temp, forget, err := r.write(dir, old, content, l)
	if err != nil {
		return err
	}
	defer forget()
	if err := dir.Rename(temp, old); err != nil {
		dir.Remove(temp)
		return err
	}
	forget() // the temporary file is now the only copy: keep it
	if err := dir.Rename(old, temp); err != nil {
		return err
	}
	if err := dir.Rename(temp, rel); err != nil {
		return errors.Join(err, dir.Rename(temp, old))
	}
	syncDir(dir, rel)
	return nil
}

// moveNew renames temp to rel, which must not exist: it reserves the name with an empty
// file first.
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

// write writes content to a new temporary file beside rel, flushes it to disk and returns its
// name. The caller must call forget once no file has that name. After an error the file
// does not exist.
func (r replacer) write(dir *os.Root, rel, content string, l like) (temp string, forget func(), err error) {
	temp = path.Join(path.Dir(rel), leftover.Name(leftover.File))
	forget = r.left.Note(filepath.Join(dir.Name(), filepath.FromSlash(temp)))
	if err := r.fill(dir, temp, content, l); err != nil {
		forget()
		return "", nil, err
	}
	return temp, forget, nil
}

// fill creates the file temp and writes it. After an error the file does not exist.
func (r replacer) fill(dir *os.Root, temp, content string, l like) error {
	mode := fs.FileMode(0o644)
	switch {
	case l.mode != 0:
		mode = 0o600 // private until the owner is set
	case l.program:
		mode = 0o755
	}
	f, err := r.open(dir, temp, mode)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, content)
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

// give sets the owner of f, where the system allows it, and the mode of l.
func (l like) give(f tempFile) error {
	mode := l.mode
	if l.owned {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		uid, gid, _ := ownerOf(info)
		if (uid != l.uid || gid != l.gid) && f.Chown(l.uid, l.gid) != nil {
			mode = mode.Perm() // set-user-id would now apply to another user
		}
	}
	return f.Chmod(mode)
}

// makeParents creates the missing folders above rel and returns them, the innermost first,
// also after an error.
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
		if errors.Is(err, fs.ErrExist) { // another process has just created it
			return made, nil
		}
		return made, err
	}
	return append([]string{parent}, made...), nil
}

// removeFolders removes the folders that are empty, the innermost first.
func removeFolders(dir *os.Root, names []string) {
	for _, name := range names {
		if dir.Remove(name) != nil {
			return
		}
	}
}

// syncDir flushes the folder of rel to disk, so that a new name survives a system crash. It
// ignores errors: some file systems do not support it.
func syncDir(dir *os.Root, rel string) {
	if f, err := dir.Open(path.Dir(rel)); err == nil {
		f.Sync()
		f.Close()
	}
}

// MakeParents creates the missing folders above path, for editors that do not when they
// create or move a file. unmake removes those of them that are empty. It refuses what
// CreateFile would refuse, before it creates anything. The error is a [*Refusal].
func (d *Disk) MakeParents(path string) (unmake func(), err error) {
	r, rel, err := d.target(path)
	if err != nil {
		return nil, err
	}
	dir, err := r.open()
	if err != nil {
		return nil, refuseFor(path, "created", err)
	}
	made, err := makeParents(dir, rel)
	if err != nil {
		removeFolders(dir, made)
		return nil, refuseFor(path, "created", err)
	}
	return func() { removeFolders(dir, made) }, nil
}

// RemoveFolders removes the folders that are empty, innermost first. It leaves what is no
// longer a folder, or cannot be removed.
func (d *Disk) RemoveFolders(paths []string) {
	for _, path := range paths {
		r, rel, err := d.w.resolve(path)
		if err != nil || rel == "." || reserved(rel) != "" {
			continue
		}
		if dir, err := r.open(); err == nil {
			if info, err := dir.Lstat(rel); err == nil && info.IsDir() {
				removeFolders(dir, []string{rel})
			}
		}
	}
}

// MissingFolders returns the folders above path that do not exist, the innermost first.
func (d *files) MissingFolders(path string) []string {
	var missing []string
	for {
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return missing
		}
		path = path[:i]
		if exists, _, err := d.Stat(path); err != nil || exists {
			return missing
		}
		missing = append(missing, path)
	}
}

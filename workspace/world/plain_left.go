package world

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// List returns what a command has changed in the folders of the copy. It follows no link. The error is a
// part of a sentence.
func (p *Plain) List(ctx context.Context) (left []Entry, err error) {
	seen := map[string]bool{} // of what the copy began with
	p.left = nil
	for _, f := range p.folders {
		if info, err := p.root.Lstat(f.path); err != nil || !info.IsDir() {
			return nil, errors.New("it removed or replaced the folder that it worked in")
		}
		todo := []string{f.path}
		for len(todo) > 0 {
			dir := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			entries, err := p.entries(dir)
			if err != nil {
				return nil, fmt.Errorf("a folder that it left cannot be read: %w", err)
			}
			for _, e := range entries {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				path := filepath.Join(dir, e.Name())
				began := p.began[path]
				info, err := p.root.Lstat(path)
				if err != nil {
					continue // a process that goes on has removed it
				}
				found, err := p.look(path, began, info)
				switch {
				case err != nil:
					return nil, fmt.Errorf("a file that it left cannot be read: %w", err)
				case found == "" && info.IsDir():
					todo = append(todo, path)
					continue
				case began != nil:
					seen[path] = true
				}
				if found == "" {
					continue
				}
				left = append(left, Entry{Path: []byte(p.hostName(f, path, began)), Kind: found, Mode: uint32(info.Mode().Perm()), Size: info.Size()})
				if p.left = append(p.left, path); len(left) > MaxEntries {
					return nil, fmt.Errorf("it wrote or removed more than %d files", MaxEntries)
				}
			}
		}
	}
	var gone []string
	for path := range p.began {
		if seen[path] {
			continue
		}
		if info, err := p.root.Lstat(path); err != nil || info.IsDir() { // else it is there by another spelling
			gone = append(gone, path)
		}
	}
	slices.Sort(gone)
	for _, path := range gone {
		left, p.left = append(left, Entry{Path: []byte(p.began[path].name), Kind: GoneEntry}), append(p.left, path)
	}
	if len(left) > MaxEntries {
		return nil, fmt.Errorf("it wrote or removed more than %d files", MaxEntries)
	}
	return left, nil
}

// hostName returns the name that the host has for a path in the copy of a folder.
func (p *Plain) hostName(f place, path string, began *copied) string {
	if began != nil {
		return began.name
	}
	rel, _ := filepath.Rel(f.path, path) // it is below
	return filepath.Join(f.name, rel)
}

// entries reads a folder of the copy, and gives itself access to one that the command has locked.
func (p *Plain) entries(dir string) ([]fs.DirEntry, error) {
	f, err := p.root.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		if err = p.root.Chmod(dir, 0o700); err == nil {
			f, err = p.root.Open(dir)
		}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return bytes.Compare([]byte(a.Name()), []byte(b.Name())) })
	return entries, err
}

// look returns what the copy has at a path, "" for what it began with and for a folder.
func (p *Plain) look(path string, began *copied, info fs.FileInfo) (EntryKind, error) {
	switch mode := info.Mode(); {
	case mode.IsDir() && len(path) > maxEntryPath:
		return OtherEntry, nil
	case mode.IsDir():
		return "", nil
	case mode&fs.ModeSymlink != 0:
		if to, err := p.root.Readlink(path); err == nil && began != nil && began.link != "" && to == began.link {
			return "", nil
		}
		return LinkEntry, nil
	case !mode.IsRegular():
		return OtherEntry, nil
	case began == nil || began.info == nil || info.Mode().Perm() != began.info.Mode().Perm() || info.Size() != began.info.Size():
		return FileEntry, nil
	case sameState(began.info, info, p.ready):
		return "", nil
	case !began.sure && info.ModTime().Equal(began.info.ModTime()):
		return "", nil
	case !began.sure:
		return FileEntry, nil
	}
	f, err := p.openFile(path, info)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, info.Size()+1)); err != nil {
		return "", err
	}
	if [32]byte(sum.Sum(nil)) == began.hash {
		return "", nil
	}
	return FileEntry, nil
}

// openFile opens a regular file of the copy, and gives itself access to one that the command has locked.
func (p *Plain) openFile(path string, info fs.FileInfo) (*os.File, error) {
	f, err := p.root.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if errors.Is(err, fs.ErrPermission) {
		if err = p.root.Chmod(path, info.Mode().Perm()|0o400); err == nil {
			f, err = p.root.OpenFile(path, os.O_RDONLY|nonblock, 0)
		}
	}
	if err != nil {
		return nil, err
	}
	if opened, err := f.Stat(); err != nil || !opened.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, errors.New("it changes while it is read"))
	}
	return f, nil
}

// Read returns the content of a file of the last List, by its index. It is an error if it has not the size
// any more that it had.
func (p *Plain) Read(i int, e Entry) ([]byte, error) {
	info, err := p.root.Lstat(p.left[i])
	if err != nil {
		return nil, err
	}
	f, err := p.openFile(p.left[i], info)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, e.Size+1))
	if err == nil && int64(len(text)) != e.Size {
		err = errors.New("a file that it left changes while it is read")
	}
	return text, err
}

// Began reports whether the copy began with a file of this content at an absolute name of the host. It is
// not known of what is there as an aid for the command.
func (p *Plain) Began(name string, content []byte) bool {
	path, ok := p.path(name)
	c := p.began[path]
	return ok && c != nil && c.sure && sha256.Sum256(content) == c.hash
}

// Full reports whether the disk that holds the copy has no room left.
func (p *Plain) Full() bool {
	free, err := freeSpace(p.dir)
	return err == nil && free < leastRoom
}

// leastRoom is how many bytes are left at least where nothing was cut off.
const leastRoom = 64 << 10

// sameState reports whether a file is certainly in the state that it was in before: the system notes
// each change with a time that no program can set. One that was made just before ready may have the same
// time as another one after it.
func sameState(before, now fs.FileInfo, ready time.Time) bool {
	was, is := changed(before), changed(now)
	tick := fineTick
	if was%int64(time.Second) == 0 {
		tick = 2 * coarseTick
	}
	return os.SameFile(before, now) && before.ModTime().Equal(now.ModTime()) && was == is && was < ready.Add(-tick).UnixNano()
}

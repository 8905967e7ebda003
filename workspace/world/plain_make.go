package world

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// The limits of a plain copy.
const (
	maxPlainFiles = MaxEntries
	maxPlainSize  = 4 << 30 // bytes
)

// plainMaker fills a plain copy.
type plainMaker struct {
	*Plain
	PlainFrom

	todo    []plainFile
	dirs    []plainDir
	size    int64
	inPlace map[string]int // how many files there are in each folder of a folder of the workspace
	noClone bool
}

// plainFile is a file to copy.
type plainFile struct {
	name, path string // absolute; in the copy
	mode       fs.FileMode
	size       int64
	aside      bool
}

// plainDir is a folder to copy.
type plainDir struct {
	path     string
	modified time.Time
}

// list finds what to copy, and refuses more than a copy may have.
func (m *plainMaker) list(ctx context.Context) error {
	changed := map[string]bool{}
	for _, c := range m.Changes {
		changed[c.Path] = !c.Same
	}
	m.inPlace = map[string]int{}
	for _, f := range m.folders {
		if err := m.root.MkdirAll(f.path, 0o700); err != nil {
			return err
		}
		err := filepath.WalkDir(f.name, func(name string, e fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case name == f.name:
				return err
			case err != nil:
				return nil //nolint:nilerr // it is gone, or the command cannot read it either
			}
			path, _ := m.path(name)
			has := m.Has(name, e.IsDir())
			switch {
			case has == HasNot && e.IsDir():
				return fs.SkipDir
			case has == HasNot, has == HasBelow, changed[name]:
				return nil
			case e.IsDir():
				if info, err := e.Info(); err == nil {
					m.dirs = append(m.dirs, plainDir{path, info.ModTime()})
				}
				return m.root.MkdirAll(path, 0o700)
			case !e.Type().IsRegular() && e.Type()&fs.ModeSymlink == 0:
				return nil // a FIFO, socket or device
			}
			return m.add(f, name, path, e, has)
		})
		if err != nil {
			return err
		}
	}
	if free, err := freeSpace(m.dir); err == nil && m.size > free/2 && !m.clones() {
		return fmt.Errorf("the copy needs %d MiB, and %s has only %d MiB left: make room there, or name another folder in TMPDIR", m.size>>20+1, filepath.Dir(m.dir), free>>20)
	}
	return nil
}

// add notes a file or link to copy.
func (m *plainMaker) add(f place, name, path string, e fs.DirEntry, has Having) error {
	info, err := e.Info()
	if err != nil {
		return nil //nolint:nilerr // it is gone
	}
	rel, err := filepath.Rel(f.name, name)
	if err != nil {
		return err
	}
	top, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	m.inPlace[top]++
	m.todo = append(m.todo, plainFile{name, path, info.Mode(), info.Size(), has == HasAside})
	m.size += info.Size()
	if info.Mode().IsRegular() && info.Size() > maxPlainSize {
		return fmt.Errorf("%s alone has %d MiB, and at most %d MiB are copied: have git ignore it", rel, info.Size()>>20, maxPlainSize>>20)
	}
	if len(m.todo) > maxPlainFiles || m.size > maxPlainSize {
		most := slices.MaxFunc(slices.Sorted(maps.Keys(m.inPlace)), func(a, b string) int { return m.inPlace[a] - m.inPlace[b] })
		return fmt.Errorf("more than %d files or %d MiB would be copied, most of them in %s: have git ignore it, and leave it out of trials.copy_also", maxPlainFiles, maxPlainSize>>20, most)
	}
	return nil
}

// clones reports whether files are copied without taking room.
func (m *plainMaker) clones() bool {
	for _, f := range m.todo {
		if f.mode.IsRegular() {
			from, err := os.Open(f.name)
			if err != nil {
				continue
			}
			defer from.Close()
			const name = "clone"
			to, ok := clone(m.root, name, from, 0o600)
			if to != nil {
				to.Close()
			}
			_ = m.root.Remove(name)
			return ok
		}
	}
	return true
}

func (m *plainMaker) copyAll(ctx context.Context) error {
	for _, f := range m.todo {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		err := m.copy(f)
		if errors.Is(err, errNone) {
			continue
		}
		if err != nil {
			return m.failed(f.name, err)
		}
	}
	m.todo = nil
	return nil
}

// failed returns why a file could not be copied.
func (m *plainMaker) failed(name string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("the disk of %s is full: make room there, or name another folder in TMPDIR", filepath.Dir(m.dir))
	}
	return fmt.Errorf("%s could not be copied: %w", name, err)
}

// errNone is the error if there is no file to copy any more, or none that the command could read.
var errNone = errors.New("there is no file")

// copy copies a file or link.
func (m *plainMaker) copy(f plainFile) error {
	made := &copied{name: f.name}
	if f.mode&fs.ModeSymlink != 0 {
		to, err := os.Readlink(f.name)
		if err != nil {
			return errNone
		}
		made.link = m.leads(f.name, to)
		m.began[f.path] = made
		return m.inFolder(f.path, func() error { return m.root.Symlink(made.link, f.path) })
	}
	info, err := os.Lstat(f.name)
	if err != nil || !info.Mode().IsRegular() {
		return errNone
	}
	from, err := os.OpenFile(f.name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return errNone
	}
	defer from.Close()
	opened, err := from.Stat()
	if err != nil || !os.SameFile(info, opened) {
		return errNone
	}
	if m.size += max(0, opened.Size()-f.size); m.size > maxPlainSize {
		return fmt.Errorf("it grows, and at most %d MiB are copied", maxPlainSize>>20)
	}
	if err := m.content(made, f, from, opened); err != nil {
		return err
	}
	if err := m.root.Chtimes(f.path, opened.ModTime(), opened.ModTime()); err != nil {
		return err
	}
	made.info, err = m.root.Lstat(f.path)
	m.began[f.path] = made
	return err
}

// content copies what a file has. It is read once, or from its clone: so the hash is of what the
// copy has, whoever writes the file meanwhile.
func (m *plainMaker) content(made *copied, f plainFile, from *os.File, info fs.FileInfo) error {
	mode := info.Mode().Perm()
	var to *os.File
	cloned := false
	err := m.inFolder(f.path, func() (err error) {
		if !m.noClone {
			to, cloned = clone(m.root, f.path, from, mode)
			m.noClone = !cloned
		}
		if to == nil {
			to, err = m.root.OpenFile(f.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		}
		return err
	})
	if err != nil {
		return err
	}
	defer to.Close()
	seen := sha256.New()
	switch {
	case cloned && f.aside:
	case cloned:
		_, err = io.Copy(seen, to)
	case f.aside:
		_, err = io.Copy(to, io.LimitReader(from, info.Size())) // it may grow
	default:
		_, err = io.Copy(io.MultiWriter(to, seen), io.LimitReader(from, info.Size()))
	}
	if err == nil {
		err = to.Chmod(mode) // whatever the umask says
	}
	if err == nil && !f.aside {
		made.hash, made.sure = [32]byte(seen.Sum(nil)), true
	}
	return cmp.Or(err, to.Close())
}

// inFolder makes something in a folder of the copy, and the folder if that is missing.
func (m *plainMaker) inFolder(path string, do func() error) error {
	err := do()
	if errors.Is(err, fs.ErrNotExist) {
		if err = m.root.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			err = do()
		}
	}
	return err
}

// leads returns what a link leads to in the copy: into the copy if it leads into the workspace, by
// whatever way, and else where it leads on the host.
func (m *plainMaker) leads(name, to string) string {
	at := to
	if !filepath.IsAbs(to) {
		at = filepath.Join(filepath.Dir(name), to)
	}
	in, inside := m.In(at)
	real, err := filepath.EvalSymlinks(name)
	switch {
	case err != nil: // it leads nowhere
	case slices.ContainsFunc(m.folders, func(f place) bool { return f.name != real && isIn(f.name, real) }):
		return m.dir // it leads to what is above the workspace, and so to the workspace
	case !inside || !m.stays(at):
		if in, inside = m.In(real); inside {
			return in
		}
		return real
	}
	switch {
	case !inside:
		return at
	case filepath.IsAbs(to):
		return in
	}
	return to
}

// stays reports whether the way to a name of the workspace leads out of it nowhere.
func (m *plainMaker) stays(name string) bool {
	for at := name; ; at = filepath.Dir(at) {
		if slices.ContainsFunc(m.names, func(f place) bool { return f.name == at }) {
			return true
		}
		real, err := filepath.EvalSymlinks(at)
		if err != nil {
			return false
		}
		if _, inside := m.In(real); !inside {
			return false
		}
	}
}

// change makes the files that differ from the host's.
func (m *plainMaker) change() error {
	for _, c := range m.Changes {
		path, ok := m.path(c.Path)
		if !ok || c.Gone || c.Same {
			continue
		}
		mode := cmp.Or(c.Mode.Perm(), 0o644)
		if is, err := os.Stat(c.Path); err == nil && is.Mode().IsRegular() {
			mode = is.Mode().Perm()
		}
		err := m.inFolder(path, func() error {
			to, err := m.root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
			if err != nil {
				return err
			}
			_, err = to.Write(c.Text)
			return cmp.Or(err, to.Chmod(mode), to.Close())
		})
		made := &copied{name: c.Path, hash: sha256.Sum256(c.Text), sure: true}
		if err == nil {
			made.info, err = m.root.Lstat(path)
		}
		if err != nil {
			return m.failed(c.Path, err)
		}
		m.began[path] = made
	}
	return nil
}

// date gives the folders of the copy the times that the host's have, since build tools compare those.
func (m *plainMaker) date() error {
	for _, d := range slices.Backward(m.dirs) {
		_ = m.root.Chtimes(d.path, d.modified, d.modified) // else it is built again
	}
	return nil
}

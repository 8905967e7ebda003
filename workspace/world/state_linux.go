//go:build amd64 || arm64

package world

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// keptState is a file or folder of the state that will be read.
type keptState struct {
	name   string // absolute, without links
	place  *captured
	in     string               // the path in it
	before map[string]fileState // what is there before the command, by the path in the place
}

// stateFiles copies the paths of the state that are files into the home folder.
func (b *builder) stateFiles() error {
	for _, name := range b.State.Paths {
		info, err := os.Lstat(host + name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > MaxSingleState {
			continue
		}
		if _, err := os.Lstat(root + name); err == nil { // another folder shows it
			continue
		}
		if err := makeFolder(filepath.Dir(root + name)); err != nil {
			return err
		}
		if err := copyFile(name); err != nil {
			return err
		}
	}
	return nil
}

// keepHome notes where the writes to the home folder are.
func (c *Capture) keepHome(home, at string) error {
	fd, err := unix.Open(at, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("what is written in %s cannot be kept: %w", home, err)
	}
	c.home = &captured{dir: home, shown: home, fd: fd, copied: true, memory: inMemory(fd)}
	return nil
}

// beginState notes what there is of the state before the command starts, and in ticks its times.
func (c *Capture) beginState(names []string, ticks *Ticks) (err error) {
	for _, name := range names {
		k := keptState{name: filepath.Clean(name), before: map[string]fileState{}}
		k.place = c.home
		for i := range c.places {
			if p := &c.places[i]; isIn(k.name, p.shown) && (k.place == nil || len(p.shown) > len(k.place.shown)) {
				k.place = p
			}
		}
		if k.place == nil || !isIn(k.name, k.place.shown) {
			continue
		}
		if k.in, err = filepath.Rel(k.place.dir, k.name); err != nil {
			return err
		}
		note := func(path string, stat *unix.Stat_t) error {
			k.before[path] = k.place.state(path, stat)
			ticks.Saw(time.Unix(stat.Ctim.Unix()))
			return nil
		}
		if stat, err := k.reach(); err == nil {
			_ = note(k.in, &stat)
			if isDirMode(stat.Mode) {
				if err := walkIn(context.Background(), k.place.fd, k.in, false, note); err != nil {
					return err
				}
			}
		}
		c.state = append(c.state, k)
	}
	return nil
}

// reach returns what is at the name of what is kept. It follows no link.
func (k *keptState) reach() (stat unix.Stat_t, err error) {
	fd, err := unix.Openat2(k.place.fd, k.in, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_XDEV,
	})
	if err != nil {
		return stat, err
	}
	defer unix.Close(fd)
	return stat, unix.Fstat(fd, &stat)
}

// maxNamedKept is how many files that are not read are named.
const maxNamedKept = 100

// ReadState calls tell with what the command has written in what is kept of the state, with the content
// of files that may be written back. Like [Capture.List], it follows no link, and nothing else may run in
// the world by then. more is how many other files there are. The error is a part of a sentence.
func (c *Capture) ReadState(ctx context.Context, tell func(Entry) error) (more int, err error) {
	if c.home == nil {
		return 0, nil
	}
	r := stateReader{tell: tell, home: c.home.dir, room: MaxKeptBytes}
	for i := range c.state {
		k := &c.state[i]
		stat, err := k.reach()
		was, had := k.before[k.in]
		switch {
		case err == unix.ENOENT && had, err == nil && !k.place.copied && isWhiteout(&stat) && !(had && was.mode == stat.Mode):
			err = tell(Entry{Path: []byte(k.name), Kind: GoneEntry})
		case err == unix.ENOENT, err == nil && !k.place.copied && isWhiteout(&stat):
			err = nil
		case err == unix.ELOOP:
			err = tell(Entry{Path: []byte(k.name), Kind: LinkEntry})
		case err != nil:
			err = tell(Entry{Path: []byte(k.name), Kind: OtherEntry})
		case !isDirMode(stat.Mode):
			err = r.take(k, k.in, &stat)
		default:
			err = walkIn(ctx, k.place.fd, k.in, true, func(path string, stat *unix.Stat_t) error { return r.take(k, path, stat) })
		}
		if err != nil {
			return r.more, err
		}
	}
	return r.more, nil
}

func isWhiteout(stat *unix.Stat_t) bool {
	return stat.Mode&unix.S_IFMT == unix.S_IFCHR && stat.Rdev == 0
}

// stateReader reads what may be written back.
type stateReader struct {
	tell               func(Entry) error
	home               string
	room               int64
	files, named, more int
}

// take tells of a file of the state, unless it is as it was.
func (r *stateReader) take(k *keptState, path string, stat *unix.Stat_t) error {
	was, had := k.before[path]
	if had && k.place.stayed(was, path, stat) || isDirMode(stat.Mode) && len(path) <= maxEntryPath || !k.place.copied && isWhiteout(stat) {
		return nil
	}
	name := filepath.Join(k.place.dir, path)
	e := Entry{Path: []byte(name), Kind: OtherEntry, Mode: stat.Mode & 0o777, Size: stat.Size}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		e.Kind = FileEntry
		if err := r.read(k, path, &e); err != nil {
			e.Problem = err.Error()
		}
	case unix.S_IFLNK:
		e.Kind = LinkEntry
	case unix.S_IFDIR:
		e.Problem = "its path is too long"
	}
	if e.Kind == FileEntry && e.Problem == "" {
		r.room -= e.Size
		r.files++
		return r.tell(e)
	}
	if r.named++; r.named > maxNamedKept {
		r.more++
		return nil
	}
	return r.tell(e)
}

// read reads the content of a file that may be written back, otherwise it returns why not.
func (r *stateReader) read(k *keptState, path string, e *Entry) error {
	if err := MayKeepIn(string(e.Path), k.name, r.home); err != nil {
		return err
	}
	switch {
	case e.Mode&0o111 != 0:
		return errExecutable
	case r.files >= MaxKeptFiles:
		return fmt.Errorf("at most %d files are written back", MaxKeptFiles)
	case e.Size > r.room:
		return fmt.Errorf("at most %d MiB are written back", MaxKeptBytes>>20)
	}
	c := Capture{found: []foundIn{{k.place.fd, path, e.Size}}}
	var err error
	e.Text, err = c.Read(0)
	return err
}

var errExecutable = errors.New("it can be executed")

//go:build amd64 || arm64

package world

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Capture finds what the command of a world leaves in the folders of the workspace. It reads where
// these writes are, never the host's files, and follows no link. Nothing else may run in the world
// by then.
//
// Where a folder is an overlay, its writes are in its upper. Where it is a copy, as with bwrap or
// beside a mount point, Capture compares the copy with what it was before the command.
type Capture struct {
	places  []captured
	folders []string    // of the workspace
	home    *captured   // the home folder, if something of the state will be read
	state   []keptState // what will be read of it
	found   []foundIn   // of each entry that List has returned
}

// captured is a folder of the world with writes of its own.
type captured struct {
	dir    string               // the folder whose writes are there
	shown  string               // the part of it that the command sees
	fd     int                  // where the writes to it are
	copied bool                 // it is a copy, not the upper of an overlay
	memory bool                 // it is in memory, where not every write changes the times
	before map[string]fileState // what is there before the command, by the path in it: in an upper, what the world itself has written and hidden
}

// foundIn is where the file of an entry is.
type foundIn struct {
	fd   int
	path string
	size int64
}

// keep notes that the writes to a folder are at a path; the command sees only shown of it. The old root
// goes, so it keeps a descriptor.
func (c *Capture) keep(dir, shown, at string, copied bool) error {
	if c == nil {
		return nil
	}
	fd, err := unix.Open(at, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("what is written in %s cannot be kept: %w", dir, err)
	}
	c.places = append(c.places, captured{dir: dir, shown: shown, fd: fd, copied: copied, memory: inMemory(fd)})
	return nil
}

// begin notes what there is before the command starts.
func (c *Capture) begin(w World) error {
	if c == nil {
		return nil
	}
	var ticks Ticks
	if err := c.beginState(w.State.Keep, &ticks); err != nil {
		return err
	}
	if w.Captured {
		c.folders = outermost(w.Folders)
	}
	for i := range c.places {
		p := &c.places[i]
		p.before = map[string]fileState{}
		for _, in := range p.parts(c.folders) {
			if there, err := p.reach(in); err != nil {
				return err
			} else if !there {
				continue
			}
			err := walkIn(context.Background(), p.fd, in, false, func(path string, stat *unix.Stat_t) error {
				p.before[path] = p.state(path, stat)
				ticks.Saw(time.Unix(stat.Ctim.Unix()))
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return ticks.Wait(context.Background())
}

// parts returns the paths of the folders that are in a place, relative to it; all of it
// if the place is in one of the folders.
func (p *captured) parts(folders []string) (in []string) {
	for _, f := range folders {
		if isIn(p.dir, f) {
			return []string{"."}
		}
		if rel, err := filepath.Rel(p.dir, f); err == nil && filepath.IsLocal(rel) {
			in = append(in, rel)
		}
	}
	return in
}

// List calls tell with what the command has left in the folders of the world, in batches, folders
// before what is in them. The error is a part of a sentence.
func (c *Capture) List(ctx context.Context, tell func([]Entry) error) error {
	var batch []Entry
	flush := func() error {
		err := tell(batch)
		batch = nil
		return err
	}
	for i := range c.places {
		p := &c.places[i]
		add := func(path string, e Entry) error {
			if c.found = append(c.found, foundIn{p.fd, path, e.Size}); len(c.found) > MaxEntries {
				return fmt.Errorf("it wrote or removed more than %d files", MaxEntries)
			}
			e.Path = []byte(filepath.Join(p.dir, path))
			if batch = append(batch, e); len(batch) >= 500 {
				return flush()
			}
			return nil
		}
		if err := p.list(ctx, c.folders, add); err != nil {
			return err
		}
	}
	return flush()
}

// list calls add with the entries of a place.
func (p *captured) list(ctx context.Context, folders []string, add func(path string, e Entry) error) error {
	for _, in := range p.parts(folders) {
		switch there, err := p.reach(in); {
		case err != nil:
			return err
		case !there:
			continue
		}
		err := walkIn(ctx, p.fd, in, true, func(path string, stat *unix.Stat_t) error {
			was, had := p.before[path]
			delete(p.before, path)
			switch {
			case had && p.stayed(was, path, stat):
				return nil
			case !p.copied && had && was.mode == stat.Mode && was.mode&unix.S_IFMT == unix.S_IFCHR: // gone as before: whiteouts may share their inode
				return nil
			case p.copied && had && isDirMode(stat.Mode) && !isDirMode(was.mode):
				return add(path, Entry{Kind: FreshEntry})
			}
			e, ok, err := p.entry(path, stat)
			if err != nil || !ok {
				return err
			}
			return add(path, e)
		})
		if err != nil {
			return err
		}
	}
	for path, was := range p.before {
		if !p.copied && was.mode&unix.S_IFMT != unix.S_IFREG { // of an upper only what the world has written
			continue
		}
		if err := add(path, Entry{Kind: GoneEntry}); err != nil {
			return err
		}
	}
	return nil
}

// reach reports whether a folder of the workspace is in a place: in an upper only if something in it
// was written. It is an error if the folder itself was removed, moved or made anew.
func (p *captured) reach(in string) (there bool, err error) {
	if in == "." {
		return true, nil
	}
	at := ""
	for _, part := range strings.Split(in, "/") {
		at = filepath.Join(at, part)
		var stat unix.Stat_t
		if err := unix.Fstatat(p.fd, at, &stat, unix.AT_SYMLINK_NOFOLLOW); err == unix.ENOENT && !p.copied {
			return false, nil
		} else if err != nil || !isDirMode(stat.Mode) {
			return false, fmt.Errorf("it removed the folder %s", filepath.Join(p.dir, at))
		}
		if p.copied {
			continue
		}
		if anew, err := isOpaque(p.fd, at); err != nil {
			return false, err
		} else if anew {
			return false, fmt.Errorf("it made the folder %s anew", filepath.Join(p.dir, at))
		}
	}
	return true, nil
}

// entry returns the entry of a file, link or folder in a place. ok is false for a folder that only
// holds others.
func (p *captured) entry(path string, stat *unix.Stat_t) (e Entry, ok bool, err error) {
	e = Entry{Kind: OtherEntry, Mode: stat.Mode & 0o777}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		e.Kind, e.Size = FileEntry, stat.Size
	case unix.S_IFLNK:
		e.Kind = LinkEntry
	case unix.S_IFCHR:
		if stat.Rdev == 0 && !p.copied { // how an overlay keeps what was removed
			e = Entry{Kind: GoneEntry}
		}
	case unix.S_IFDIR:
		if len(path) > maxEntryPath {
			break
		}
		if p.copied {
			return e, false, nil
		}
		e.Kind = FreshEntry
		anew, err := isOpaque(p.fd, path)
		return e, anew, err
	}
	return e, true, nil
}

// isOpaque reports whether a folder in the upper of an overlay hides the host's folder of its name.
func isOpaque(fd int, path string) (bool, error) {
	dir, err := openFolder(fd, path)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	var value [8]byte
	switch n, err := unix.Fgetxattr(int(dir.Fd()), "user.overlay.opaque", value[:]); {
	case err == unix.ENODATA:
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%q cannot be read: %w", path, err)
	default:
		return n > 0 && value[0] == 'y', nil
	}
}

// Filled reports whether the place for what is written has no room left: then files may be cut off.
func (c *Capture) Filled() bool {
	places := c.places
	if c.home != nil {
		places = append(slices.Clone(places), *c.home)
	}
	for _, p := range places {
		var stat unix.Statfs_t
		if unix.Fstatfs(p.fd, &stat) == nil && (int64(stat.Bavail)*stat.Bsize < leastRoom || stat.Files > 0 && stat.Ffree == 0) {
			return true
		}
	}
	return false
}

// walkIn calls visit for everything below the folder in, a path in fd, folders before what is in
// them. It follows no link, and opens no folder at a path that is longer than maxEntryPath. With unlock
// set, it gives itself access to folders that the command has locked; without, it leaves out what it
// cannot read.
func walkIn(ctx context.Context, fd int, in string, unlock bool, visit func(path string, stat *unix.Stat_t) error) error {
	todo := []string{in}
	for n := 0; len(todo) > 0; {
		dir := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		open, err := openFolder(fd, dir)
		if errors.Is(err, unix.EACCES) && !unlock {
			continue
		} else if err != nil {
			return err
		}
		for {
			names, err := open.Readdirnames(1000)
			for _, name := range names {
				path := filepath.Join(dir, name)
				if n++; n%1000 == 0 && ctx.Err() != nil {
					err = errors.New("it takes too long")
				} else if n > 4*MaxEntries {
					err = fmt.Errorf("it holds more than %d files", 4*MaxEntries)
				}
				var stat unix.Stat_t
				if err == nil {
					err = unix.Fstatat(int(open.Fd()), name, &stat, unix.AT_SYMLINK_NOFOLLOW)
				}
				isDir := isDirMode(stat.Mode)
				if err == nil && isDir && unlock && stat.Mode&0o500 != 0o500 {
					err = unix.Fchmodat(int(open.Fd()), name, stat.Mode&0o777|0o700, 0)
				}
				if err == nil {
					err = visit(path, &stat)
				}
				if err != nil {
					open.Close()
					return fmt.Errorf("%q cannot be read: %w", path, err)
				}
				if isDir && len(path) <= maxEntryPath {
					todo = append(todo, path)
				}
			}
			if err == io.EOF {
				break
			} else if err != nil {
				open.Close()
				return fmt.Errorf("%q cannot be read: %w", dir, err)
			}
		}
		open.Close()
	}
	return nil
}

func isDirMode(mode uint32) bool { return mode&unix.S_IFMT == unix.S_IFDIR }

func openFolder(fd int, path string) (*os.File, error) {
	dir, err := unix.Openat(fd, path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be read: %w", path, err)
	}
	return os.NewFile(uintptr(dir), path), nil
}

// Read returns the content of a file that List has returned, by its index. The error is a part of
// a sentence.
func (c *Capture) Read(index int) ([]byte, error) {
	if index < 0 || index >= len(c.found) {
		return nil, errors.New("there is no such file")
	}
	f := c.found[index]
	file, err := openToRead(f.fd, f.path)
	if errors.Is(err, unix.EACCES) && unix.Fchmodat(f.fd, f.path, 0o600, 0) == nil { // List has seen that it is a file
		file, err = openToRead(f.fd, f.path)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() != f.size) {
		err = errors.New("it has changed since the command ended")
	}
	if err != nil {
		return nil, fmt.Errorf("%q cannot be read: %w", f.path, err)
	}
	text := make([]byte, f.size)
	if _, err := io.ReadFull(file, text); err != nil {
		return nil, fmt.Errorf("%q cannot be read: %w", f.path, err)
	}
	return text, nil
}

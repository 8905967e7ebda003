//go:build amd64 || arm64

package world

import (
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// mountKept mounts the content of the folder that stays, while it can be written.
func (b *builder) mountKept() error {
	if b.Kept.Path == "" {
		return nil
	}
	return bind(host+b.Kept.From, kept)
}

// showKept shows the folder that stays at its place in the workspace.
func (b *builder) showKept() error {
	if b.Kept.Path == "" {
		return nil
	}
	at := root + resolved(b.Kept.Path)
	if err := makeFolder(at); err != nil {
		return err
	}
	if err := bind(kept, at); err != nil {
		return err
	}
	attr := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if err := unix.MountSetattr(unix.AT_FDCWD, at, 0, attr); err != nil {
		return fmt.Errorf("%s cannot be limited: %w", b.Kept.Path, err)
	}
	return nil
}

// Written finds the files and links of the workspace that the command of a world has written or
// removed, apart from those in the folder that stays and in repositories. A later world does not have them, but what was
// built from them stays.
type Written struct {
	world World
	begun time.Time
	made  map[string]unix.Timespec // when each of the world's changes was made
	there map[string]bool          // what there is before the command starts
}

// maxWritten is how many files are named; the rest makes no difference.
const maxWritten = 1000

// WatchWritten begins before the command starts. It returns nil for a world without a folder that
// stays.
func WatchWritten(w World) *Written {
	var now unix.Timespec
	if w.Kept.Path == "" || unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now) != nil {
		return nil
	}
	seen := &Written{w, time.Unix(now.Unix()), map[string]unix.Timespec{}, map[string]bool{}}
	for _, c := range w.Changes {
		var stat unix.Stat_t
		if unix.Stat(c.Path, &stat) == nil {
			seen.made[c.Path] = stat.Ctim
		}
	}
	seen.walk(func(name string) bool {
		seen.there[name] = true
		return true
	})
	return seen
}

// Names returns the files that were written or removed, at most 1,000 and one.
func (s *Written) Names() (names []string) {
	if s == nil {
		return nil
	}
	gone := maps.Clone(s.there)
	s.walk(func(name string) bool {
		delete(gone, name)
		var stat unix.Stat_t
		if unix.Lstat(name, &stat) == nil && !time.Unix(stat.Ctim.Unix()).Before(s.begun) && s.made[name] != stat.Ctim {
			names = append(names, name)
		}
		return len(names) <= maxWritten
	})
	for name := range gone {
		if len(names) > maxWritten {
			break
		}
		names = append(names, name)
	}
	return names
}

// walk calls do for each file and link of the workspace until it returns false.
func (s *Written) walk(do func(name string) bool) {
	for _, dir := range s.world.Folders {
		dir = resolved(dir)
		_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil
			case e.IsDir() && (e.Name() == ".git" || name == s.world.Kept.Path):
				return fs.SkipDir
			case !e.Type().IsRegular() && e.Type() != fs.ModeSymlink:
				return nil
			case !do(name):
				return fs.SkipAll
			}
			return nil
		})
	}
}

//go:build amd64 || arm64

package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"redline/workspace/leftover"
	"redline/workspace/world"
)

// uppers is the folder on a disk for what a command writes in its world. The zero uppers is none:
// memory takes that.
type uppers struct {
	dir    string
	most   int64  // bytes that it may have
	noted  func() // it is gone
	before space  // of its file system
}

// space is what is free in a file system.
type space struct{ bytes, files int64 }

const (
	// perFile is counted for each file besides its content, in bytes.
	perFile = 1 << 10
	// least is how much a command can write at least, in bytes.
	least = 16 << 20
)

// uppersFor makes the folder for a command whose world needs one, and names it in a copy of that
// world.
func uppersFor(c *Command) (uppers, error) {
	if c.World == nil || c.World.Kind == world.Bwrap || !OnDisk() && !c.disk {
		return uppers{}, nil
	}
	c.Left.Sweep()
	var problems []string
	for _, place := range uppersPlaces(c) {
		u, err := newUppers(c, place)
		if err == nil {
			w := *c.World
			w.Uppers, c.World = u.dir, &w
			return u, nil
		}
		problems = append(problems, fmt.Sprintf("%s: %s", place, err))
	}
	return uppers{}, fmt.Errorf("what it writes must be kept on a disk here, and no folder can hold it: %s", strings.Join(problems, "; "))
}

// uppersPlaces returns where the folder may be, the best place first.
func uppersPlaces(c *Command) []string {
	places := []string{"/var/tmp", os.TempDir()}
	if own := c.Left.Dir(); own != "" && os.MkdirAll(own, 0o700) == nil {
		places = slices.Insert(places, 0, own)
	}
	return slices.Compact(places)
}

func newUppers(c *Command, place string) (u uppers, err error) {
	if place, err = filepath.EvalSymlinks(place); err != nil {
		return u, err
	}
	for _, dir := range realDirs(slices.Concat(c.World.Folders, c.World.Tools)) {
		if isIn(place, dir) && dir != "/" { // which no world has
			return u, fmt.Errorf("it is in %s, which the command can write", dir)
		}
	}
	u.dir = filepath.Join(place, leftover.Name(leftover.World))
	u.noted = c.Left.Note(u.dir)
	if err := os.Mkdir(u.dir, 0o700); err != nil {
		u.noted()
		return u, err
	}
	err = world.Fits(u.dir)
	if err == nil {
		u.before, err = spaceIn(u.dir)
	}
	// Half of what is free is for others, who write at the same time, and for what [uppers.watch]
	// sees late.
	if u.most = min(c.World.Disk, u.before.bytes/2); err == nil && u.most < min(least, c.World.Disk) {
		err = errors.New("its disk is full")
	}
	if err != nil {
		u.remove()
	}
	return u, err
}

// remove removes the folder.
func (u uppers) remove() {
	if u.dir != "" && leftover.RemoveAll(u.dir) == nil {
		u.noted() // else the next sweep removes it
	}
}

// How often the folder is looked at: what is free costs nothing to know, to count its files does.
const (
	spaceEvery = 20 * time.Millisecond
	countEvery = time.Second
)

// watch calls full once when the folder has more than it may. It ends when the returned function
// is called, which reports whether it did.
//
// Files without a name, and those in folders that cannot be read, are not counted. They end the
// command once the file system has lost twice as much as the folder may have, whoever wrote it.
func (u uppers) watch(full func()) (stop func() bool) {
	if u.dir == "" {
		return func() bool { return false }
	}
	done, overfull := make(chan struct{}), false
	var watching sync.WaitGroup
	watching.Go(func() {
		ticker := time.NewTicker(spaceEvery)
		defer ticker.Stop()
		counted, took := time.Now(), time.Duration(0)
		for !overfull {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			gone, since := u.gone(), time.Since(counted)
			if gone > u.most && since > 10*took || since > countEvery+20*took {
				began := time.Now()
				overfull = u.count() > u.most
				counted, took = time.Now(), time.Since(began)
			}
			overfull = overfull || gone > 2*u.most
		}
		full()
	})
	return func() bool { close(done); watching.Wait(); return overfull }
}

// gone returns how many bytes less are free than before.
func (u uppers) gone() int64 {
	now, err := spaceIn(u.dir)
	if err != nil {
		return 0
	}
	return max(u.before.bytes-now.bytes, perFile*(u.before.files-now.files))
}

func spaceIn(dir string) (space, error) {
	var is unix.Statfs_t
	if err := unix.Statfs(dir, &is); err != nil {
		return space{}, err
	}
	return space{int64(is.Bavail) * is.Bsize, int64(is.Ffree)}, nil
}

// count returns how much the files in the folder take, or more than they may once that is sure.
func (u uppers) count() (bytes int64) {
	linked, n := map[uint64]bool{}, 0
	_ = filepath.WalkDir(u.dir, func(_ string, e fs.DirEntry, err error) error {
		if n++; n%1000 == 0 && (bytes > u.most || u.gone() > 2*u.most) {
			bytes = u.most + 1
			return fs.SkipAll
		}
		if err != nil {
			return nil //nolint:nilerr // it is gone, or cannot be read
		}
		info, err := e.Info()
		if err != nil {
			return nil //nolint:nilerr // it is gone
		}
		stat := info.Sys().(*syscall.Stat_t)
		if stat.Nlink > 1 && !e.IsDir() {
			if linked[stat.Ino] {
				return nil
			}
			linked[stat.Ino] = true
		}
		bytes += stat.Blocks*512 + perFile
		return nil
	})
	return bytes
}

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

// uppers is the folder on a disk that stores a command's writes in its world. The zero
// value means that they stay in memory.
type uppers struct {
	dir    string
	most   int64  // its size limit in bytes
	noted  func() // to be called once the folder is removed
	before space  // the space on its file system at the start
	stays  bool   // it is the folder of the world that stays
	helper int    // the process id of the helper of the command, while that runs
}

// space is the free space of a file system.
type space struct{ bytes, files int64 }

const (
	// perFile is how many bytes each file counts besides its content.
	perFile = 1 << 10
	// least is the smallest size limit of a folder, in bytes.
	least = 16 << 20
)

// uppersFor creates the folder for a command whose world needs one, and sets it as the
// Uppers of a copy of that world.
func uppersFor(c *Command) (uppers, error) {
	if c.World == nil || c.World.Kind == world.Bwrap || !OnDisk() && !c.disk {
		return keptFor(c)
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

// keptFor watches the folder that stays of a command's world, as what it writes on a disk. Where the
// disk is full, the world gets none.
func keptFor(c *Command) (uppers, error) {
	if c.World == nil || c.World.Kept.Path == "" {
		return uppers{}, nil
	}
	u := uppers{dir: c.World.Kept.From, stays: true}
	var err error
	if u.before, err = spaceIn(u.dir); err != nil {
		return uppers{}, err
	}
	if u.most = c.World.Disk; u.before.bytes/2 < u.most {
		w := *c.World
		w.Kept, c.World = world.Kept{}, &w
		return uppers{}, nil
	}
	return u, nil
}

// uppersPlaces returns the parents in which the folder may be created, best first.
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
	for _, dir := range realDirs(slices.Concat(c.World.Folders, c.World.Tools, c.World.State.Paths)) {
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
	// Half of the free space is left for other programs that write at the same time, and
	// for writes that [uppers.watch] notices late.
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
	if u.dir != "" && !u.stays && leftover.RemoveAll(u.dir) == nil {
		u.noted() // otherwise the next sweep removes it
	}
}

// How often watch checks the folder: reading the free space is cheap, counting the files
// is not.
const (
	spaceEvery = 20 * time.Millisecond
	countEvery = time.Second
	// doubt is how long it must be unknown what a command holds before that counts: the processes of a
	// world that begins or ends cannot be looked at for a moment.
	doubt = 500 * time.Millisecond
)

// watch calls full once when what the command has written is larger than the limit. The returned
// function ends watch and reports whether it called full. helper is the process of the command's helper.
//
// What other programs write on the same file system does not count, see [uppers.over].
func (u uppers) watch(helper int, full func()) (stop func() bool) {
	if u.dir == "" {
		return func() bool { return false }
	}
	u.helper = helper
	done, overfull := make(chan struct{}), false
	var watching sync.WaitGroup
	watching.Go(func() {
		ticker := time.NewTicker(spaceEvery)
		defer ticker.Stop()
		counted, took, unsure := time.Now(), time.Duration(0), time.Time{} // unsure: since when; zero for sure
		for !overfull {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			gone, since := u.gone(), time.Since(counted)
			if gone > 2*u.most && since > 2*took || gone > u.most && since > 10*took || since > countEvery+20*took {
				began := time.Now()
				over, known := u.over()
				switch {
				case known:
					unsure = time.Time{}
				case unsure.IsZero():
					unsure = began
				}
				overfull = over || !known && began.Sub(unsure) > doubt
				counted, took = time.Now(), time.Since(began)
			}
			overfull = overfull || u.low()
		}
		full()
	})
	return func() bool { close(done); watching.Wait(); return overfull }
}

// over reports whether the command has written more than the limit: in the folder, or in files that have no
// name any more and that its processes hold open. known is false where it may have more, in folders that cannot be
// read or in files that only a mapping keeps, and the file system has lost twice the limit.
func (u uppers) over() (over, known bool) {
	named, sure := u.count()
	if named > u.most || u.gone() <= u.most {
		return named > u.most, true
	}
	unnamed, found := u.hidden()
	return named+unnamed > u.most, sure && found || u.gone() <= 2*u.most
}

// low reports whether the file system has little space left. Then the command ends, whoever wrote there:
// it may have files that nobody can find, such as one whose descriptor is in a message.
func (u uppers) low() bool {
	now, err := spaceIn(u.dir)
	return err == nil && u.gone() > 2*u.most && (now.bytes < u.before.bytes/4 || now.files < u.before.files/4)
}

// gone returns how many bytes less are free than at the start.
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

// count returns the size of the files in the folder. It stops early once that certainly
// exceeds the limit. sure is false if there may be more, in a folder that cannot be read.
func (u uppers) count() (bytes int64, sure bool) {
	linked, n := map[uint64]bool{}, 0
	sure = true
	_ = filepath.WalkDir(u.dir, func(name string, e fs.DirEntry, err error) error {
		if n++; n%1000 == 0 && (bytes > u.most || u.low()) {
			bytes = u.most + 1
			return fs.SkipAll
		}
		if err != nil {
			sure = sure && (errors.Is(err, fs.ErrNotExist) || u.isOverlays(name))
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
	return bytes, sure
}

// isOverlays reports whether a folder is one in which overlayfs prepares files, which nobody else sees:
// "6.work/work".
func (u uppers) isOverlays(name string) bool {
	in := filepath.Dir(name)
	return filepath.Base(name) == "work" && strings.HasSuffix(in, ".work") && filepath.Dir(in) == u.dir
}

package cgroup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// controllers are the kernel's controllers that enforce [Bounds].
var controllers = []string{"memory", "pids"}

// boundedPrefix is the prefix of the names of cgroups with bounds.
const boundedPrefix = "redline-trial-"

// bounding is the folder in which cgroups with bounds are created, "" if there is none.
// Its first call tests the folder, and removes the cgroups that ended processes left
// there.
var bounding = sync.OnceValue(func() string {
	own, top := place()
	parent := nearest(own, top)
	if parent == "" {
		return ""
	}
	RemoveStale(parent, boundedPrefix)
	g := makeBounded(parent, Bounds{Memory: 1 << 30, Processes: 100})
	if g == nil {
		return ""
	}
	g.Remove()
	return parent
})

// Bounded creates a cgroup that limits its processes together to the bounds b. It returns
// nil if no cgroup with these controllers is delegated to this user.
func Bounded(b Bounds) *Group {
	if parent := bounding(); parent != "" {
		return makeBounded(parent, b)
	}
	return nil
}

// nearest returns the nearest cgroup, from own up to top, that passes the controllers on
// to its children and in which this user may create cgroups and move processes into them;
// "" if there is none.
func nearest(own, top string) string {
	for dir := own; dir != "" && (dir == top || strings.HasPrefix(dir, strings.TrimSuffix(top, "/")+"/")); dir = filepath.Dir(dir) {
		list, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
		passed := strings.Fields(string(list))
		lacks := func(c string) bool { return !slices.Contains(passed, c) }
		if err == nil && !slices.ContainsFunc(controllers, lacks) && may(dir) && may(filepath.Join(dir, "cgroup.procs")) {
			return dir
		}
		if dir == top {
			break
		}
	}
	return ""
}

func may(name string) bool { return unix.Access(name, unix.W_OK) == nil }

func makeBounded(parent string, b Bounds) *Group {
	g := Make(parent, boundedPrefix)
	if g == nil {
		return nil
	}
	for _, set := range []struct {
		file  string
		value int64
		must  bool
	}{
		{"memory.max", b.Memory, true}, {"pids.max", int64(b.Processes), true},
		{"memory.oom.group", 1, false}, // out of memory, kill the whole group and not only its largest process
	} {
		err := error(nil)
		if set.value > 0 {
			err = g.set(set.file, strconv.FormatInt(set.value, 10))
		}
		if err != nil && set.must {
			g.Remove()
			return nil
		}
	}
	if err := g.set("memory.swap.max", "0"); err != nil && !errors.Is(err, fs.ErrNotExist) { // a kernel without swap has no such file
		g.Remove()
		return nil
	}
	return g
}

func (g *Group) set(file, value string) error {
	f, err := os.OpenFile(filepath.Join(g.dir.Name(), file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// Joining opens the file through which processes join the cgroup: any process that has it
// open can write its id to it.
func (g *Group) Joining() (*os.File, error) {
	return os.OpenFile(filepath.Join(g.dir.Name(), "cgroup.procs"), os.O_WRONLY, 0)
}

// OutOfMemory reports whether the kernel killed a process of the cgroup because the
// cgroup reached its memory limit.
func (g *Group) OutOfMemory() bool {
	if g == nil {
		return false
	}
	events, err := os.ReadFile(filepath.Join(g.dir.Name(), "memory.events"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(events)) {
		if name, count, _ := strings.Cut(strings.TrimSpace(line), " "); name == "oom_kill" && count != "0" {
			return true
		}
	}
	return false
}

package cgroup

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"redline/internal/lazyregexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Group is a cgroup. A nil Group stands for no cgroup: Kill, Remove and OutOfMemory then do
// nothing.
type Group struct {
	dir *os.File // locked while this process lives
}

// Make creates a cgroup in the folder parent, with a name that begins with prefix. It
// returns nil if it fails.
func Make(parent, prefix string) *Group {
	name := filepath.Join(parent, prefix+rand.Text())
	if parent == "" || os.Mkdir(name, 0o755) != nil {
		return nil
	}
	dir, err := os.Open(name)
	if err != nil {
		_ = os.Remove(name)
		return nil
	}
	g := &Group{dir}
	if _, err := os.Stat(filepath.Join(name, "cgroup.kill")); err != nil || !lock(dir) {
		g.Remove()
		return nil
	}
	return g
}

// FD returns the file descriptor of the cgroup's folder.
func (g *Group) FD() int { return int(g.dir.Fd()) }

// Kill kills all processes in the cgroup at once.
func (g *Group) Kill() {
	if g != nil {
		_ = os.WriteFile(filepath.Join(g.dir.Name(), "cgroup.kill"), []byte("1"), 0)
	}
}

// Remove removes the cgroup once it is empty. If that fails, another process removes it
// later.
func (g *Group) Remove() {
	if g == nil {
		return
	}
	for end := time.Now().Add(time.Second); syscall.Rmdir(g.dir.Name()) == syscall.EBUSY && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	g.dir.Close()
}

// random is the part of a name that [Make] appends to a prefix.
var random = lazyregexp.New(`^[A-Z2-7]{26}$`)

// RemoveStale removes the cgroups with a prefix in the folder parent whose creators have
// ended, and kills the processes in them.
func RemoveStale(parent, prefix string) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		if rest, ok := strings.CutPrefix(e.Name(), prefix); ok && random().MatchString(rest) {
			removeStale(filepath.Join(parent, e.Name()))
		}
	}
}

// removeStale kills the processes in a cgroup whose owner has ended, and removes it.
func removeStale(name string) {
	dir, err := os.Open(name)
	if err != nil {
		return
	}
	if !lock(dir) {
		dir.Close()
		return
	}
	g := &Group{dir}
	g.Kill()
	g.Remove()
}

// lock locks a file for this process, and reports whether it succeeded.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// Own returns the folder of this process's version 2 cgroup, "" if there is none.
func Own() string {
	own, _ := place()
	return own
}

// place returns the folder of this process's version 2 cgroup, and the outermost cgroup
// that it can see; "" if there are none.
func place() (own, top string) {
	list, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", ""
	}
	_, path, ok := bytes.Cut(append([]byte("\n"), list...), []byte("\n0::"))
	if !ok {
		return "", ""
	}
	path, _, _ = bytes.Cut(path, []byte("\n"))
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", ""
	}
	for line := range strings.Lines(string(mounts)) {
		before, after, _ := strings.Cut(line, " - ")
		fields := strings.Fields(before) // fields: id, parent, device, root, mount point
		if len(fields) > 4 && fields[3] == "/" && strings.HasPrefix(after, "cgroup2 ") {
			return filepath.Join(fields[4], string(path)), fields[4]
		}
	}
	return "", ""
}

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

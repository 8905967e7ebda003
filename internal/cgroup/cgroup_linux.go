package cgroup

import (
	"bytes"
	"crypto/rand"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
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
var random = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// RemoveStale removes the cgroups with a prefix in the folder parent whose creators have
// ended, and kills the processes in them.
func RemoveStale(parent, prefix string) {
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		if rest, ok := strings.CutPrefix(e.Name(), prefix); ok && random.MatchString(rest) {
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

package leash

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// cgroup is a version 2 cgroup for one helper, so that the kernel knows all that it has
// started. Its methods may be called on nil, which stands for no cgroup.
type cgroup struct {
	dir *os.File // locked while this process lives
}

// makeCgroup creates a cgroup in the folder parent, or returns nil if it cannot.
func makeCgroup(parent string) *cgroup {
	name := filepath.Join(parent, cgroupPrefix+rand.Text())
	if os.Mkdir(name, 0o755) != nil {
		return nil
	}
	dir, err := os.Open(name)
	if err != nil {
		_ = os.Remove(name)
		return nil
	}
	c := &cgroup{dir}
	if _, err := os.Stat(filepath.Join(name, "cgroup.kill")); err != nil || !lock(dir) {
		c.remove()
		return nil
	}
	return c
}

func (c *cgroup) fd() int { return int(c.dir.Fd()) }

// kill kills all processes in the cgroup at once.
func (c *cgroup) kill() {
	if c != nil {
		_ = os.WriteFile(filepath.Join(c.dir.Name(), "cgroup.kill"), []byte("1"), 0)
	}
}

// remove removes the cgroup once it is empty. If it stays, another process removes it.
func (c *cgroup) remove() {
	if c == nil {
		return
	}
	for end := time.Now().Add(time.Second); syscall.Rmdir(c.dir.Name()) == syscall.EBUSY && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	c.dir.Close()
}

const cgroupPrefix = "redline-command-"

var cgroupName = regexp.MustCompile(`^` + cgroupPrefix + `[A-Z2-7]{26}$`)

// delegated reports whether this process may create cgroups below its own and start
// processes in them. It removes the cgroups that ended processes have left there.
var delegated = sync.OnceValue(func() bool {
	parent := ownCgroup()
	if parent == "" {
		return false
	}
	c := makeCgroup(parent)
	if c == nil {
		return false
	}
	defer c.remove()
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		if cgroupName.MatchString(e.Name()) {
			removeStale(filepath.Join(parent, e.Name()))
		}
	}
	cmd := exec.Command(Self(), tryArg) // ends at once, since it is not in a namespace
	cmd.Args[0] = os.Args[0]
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: c.fd()}
	if own.start(cmd) != nil { // the kernel or the container lacks clone3
		return false
	}
	_ = cmd.Wait() // its result does not matter
	own.forget(cmd.Process.Pid)
	return true
})

// removeStale kills what runs in a cgroup whose owner has ended, and removes it.
func removeStale(name string) {
	dir, err := os.Open(name)
	if err != nil {
		return
	}
	if !lock(dir) {
		dir.Close()
		return
	}
	c := &cgroup{dir}
	c.kill()
	c.remove()
}

// lock locks a file for this process, and reports whether it succeeded.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// ownCgroup returns the folder of the version 2 cgroup of this process, "" if there is
// none.
func ownCgroup() string {
	list, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	_, path, ok := bytes.Cut(append([]byte("\n"), list...), []byte("\n0::"))
	if !ok {
		return ""
	}
	path, _, _ = bytes.Cut(path, []byte("\n"))
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(mounts)) {
		before, after, _ := strings.Cut(line, " - ")
		fields := strings.Fields(before) // id, parent, device, root, place
		if len(fields) > 4 && fields[3] == "/" && strings.HasPrefix(after, "cgroup2 ") {
			return filepath.Join(fields[4], string(path))
		}
	}
	return ""
}

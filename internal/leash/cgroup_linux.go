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

// cgroup is a cgroup of version 2 in which one helper runs, so that the kernel
// knows all that it has started. Its methods may be called on nil: there is none.
type cgroup struct {
	dir *os.File // locked as long as this process lives
}

// makeCgroup makes a cgroup in the folder of another, nil where it cannot.
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

// kill ends all that is in the cgroup at once.
func (c *cgroup) kill() {
	if c != nil {
		_ = os.WriteFile(filepath.Join(c.dir.Name(), "cgroup.kill"), []byte("1"), 0)
	}
}

// remove removes the cgroup as soon as nothing runs in it. One that stays is
// removed by another process.
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

// delegated reports whether this process may make cgroups below its own and start
// processes in them. It removes what processes that are gone have left there.
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
	cmd := exec.Command(Self(), tryArg) // it ends at once, since it is in no namespace
	cmd.Args[0] = os.Args[0]
	cmd.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: c.fd()}
	if own.start(cmd) != nil { // a kernel or a container without clone3
		return false
	}
	_ = cmd.Wait() // how it ends is no matter
	own.forget(cmd.Process.Pid)
	return true
})

// removeStale ends what runs in a cgroup whose process is gone, and removes it.
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

// lock locks a file for this process, and reports whether it could.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// ownCgroup returns the folder of the cgroup of version 2 that this process is
// in, "" if there is none.
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

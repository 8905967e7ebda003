//go:build amd64 || arm64

package world

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Memory watches how much memory the processes of a world hold together, for systems on which
// no cgroup limits that. It runs in the first process of the world, which does not count.
type Memory struct {
	most   int64 // in bytes
	shared int64 // bytes of shared memory on the whole system at the start
}

// WatchMemory returns a watch for a limit in bytes.
func WatchMemory(most int64) *Memory { return &Memory{most, systemShared()} }

// Over reports whether the processes hold more than the limit: memory of their own, counted
// once where forks share it, mappings that processes share, files in memory without a name
// (memfd) and SysV segments. Files in the file systems of the world do not count.
func (m *Memory) Over() bool {
	pids := processes()
	var resident int64 // at least what they hold of their own
	for _, pid := range pids {
		resident += pagesOf(pid)
	}
	grown := systemShared() - m.shared
	if resident <= m.most && grown <= m.most {
		return false // as nearly always
	}
	var own, shared int64
	segments := map[uint64]int64{} // by inode number
	for _, pid := range pids {
		own += ownMemory(pid)
		addShared(pid, segments)
	}
	for _, size := range segments {
		shared += size
	}
	// Reserved memory that nobody has used does not count: what all programs of the system
	// have used since the start is an upper bound.
	return own+min(shared+detached(segments), max(grown, 0)) > m.most
}

// processes returns the ids of the processes of this PID namespace, except for the first.
func processes() (pids []string) {
	names, _ := filepath.Glob("/proc/[0-9]*") // Glob fails only for a bad pattern
	for _, name := range names {
		if pid := filepath.Base(name); pid != "1" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// pagesOf returns the resident memory of a process, in bytes; 0 if it has ended.
func pagesOf(pid string) int64 {
	text, _ := os.ReadFile("/proc/" + pid + "/statm")
	if f := bytes.Fields(text); len(f) > 1 {
		n, _ := strconv.ParseInt(string(f[1]), 10, 64)
		return n * int64(os.Getpagesize())
	}
	return 0
}

// systemShared returns the shared memory and the files in memory of this system, in bytes.
func systemShared() int64 { return field("/proc/meminfo", "Shmem:") }

// ownMemory returns the memory of a process that is no file, in bytes. Each of several processes
// that share a page has a part of it.
func ownMemory(pid string) int64 {
	if n := field("/proc/"+pid+"/smaps_rollup", "Pss_Anon:"); n > 0 {
		return n
	}
	return field("/proc/"+pid+"/status", "RssAnon:") // of a process that nobody may look into
}

// field returns a field in kB of a file, in bytes; 0 if there is none.
func field(file, name string) int64 {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return n << 10
		}
	}
	return 0
}

// sharedNames begin the names of mappings of memory that no file system of the world has.
var sharedNames = []string{"/dev/zero (deleted)", "/memfd:", "/SYSV", "/anon_hugepage"}

func isShared(name string) bool {
	for _, s := range sharedNames {
		if strings.HasPrefix(name, s) {
			return true
		}
	}
	return false
}

// addShared adds the sizes of the shared memory that a process has mapped or open.
func addShared(pid string, segments map[uint64]int64) {
	if f, err := os.Open("/proc/" + pid + "/maps"); err == nil {
		lines := bufio.NewScanner(f)
		for lines.Scan() { // "from-to rw-s offset dev inode name"
			f := strings.Fields(lines.Text())
			if len(f) < 6 || !isShared(strings.Join(f[5:], " ")) {
				continue
			}
			from, to, _ := strings.Cut(f[0], "-")
			start, err1 := strconv.ParseInt(from, 16, 64)
			end, err2 := strconv.ParseInt(to, 16, 64)
			offset, err3 := strconv.ParseInt(f[2], 16, 64)
			inode, err4 := strconv.ParseUint(f[4], 10, 64)
			if err1 == nil && err2 == nil && err3 == nil && err4 == nil {
				segments[inode] = max(segments[inode], offset+end-start)
			}
		}
		f.Close()
	}
	fds, _ := os.ReadDir("/proc/" + pid + "/fd")
	for _, fd := range fds {
		name := "/proc/" + pid + "/fd/" + fd.Name()
		var stat unix.Stat_t
		if to, err := os.Readlink(name); err == nil && isShared(to) && unix.Stat(name, &stat) == nil {
			segments[stat.Ino] = max(segments[stat.Ino], stat.Blocks*512)
		}
	}
}

// detached returns the size of the SysV segments that nobody has mapped, in bytes. The inode
// number of a segment is its id.
func detached(mapped map[uint64]int64) (size int64) {
	text, _ := os.ReadFile("/proc/sysvipc/shm")
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 15 {
			continue
		}
		id, err := strconv.ParseUint(f[1], 10, 64)
		rss, err2 := strconv.ParseInt(f[14], 10, 64)
		if err == nil && err2 == nil && mapped[id] == 0 {
			size += rss
		}
	}
	return size
}

// needed are the capabilities that a helper needs to build a world. It has them only in
// its new user namespace, and [Seal] drops them.
var needed = []uintptr{
	unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_SYS_CHROOT, unix.CAP_DAC_OVERRIDE,
	unix.CAP_FOWNER, unix.CAP_KILL, unix.CAP_SYS_RESOURCE, unix.CAP_NET_BIND_SERVICE,
}

// Attributes returns the attributes to start the helper of w with: new namespaces,
// and the same user.
func Attributes(w World) *syscall.SysProcAttr {
	uid, gid := os.Geteuid(), os.Getegid()
	var flags uintptr = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	if !w.HostNetwork {
		flags |= unix.CLONE_NEWNET
	}
	return &syscall.SysProcAttr{
		Cloneflags:  flags,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
		AmbientCaps: needed, // without this, exec drops them for a user who is not root
	}
}

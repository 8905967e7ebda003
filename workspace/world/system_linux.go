//go:build amd64 || arm64

package world

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// system shows the programs of this system, read-only, and empty folders for temporary
// files.
func (b *builder) system() error {
	entries, err := os.ReadDir(host)
	if err != nil {
		return fmt.Errorf("the root folder cannot be read: %w", err)
	}
	for _, e := range entries {
		name := "/" + e.Name()
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(host + name)
			if err == nil {
				err = os.Symlink(to, root+name)
			}
			if err != nil {
				return err
			}
		case !e.IsDir():
		case name == "/var":
			if err := b.variable(); err != nil {
				return err
			}
		case slices.Contains(shownFolders, e.Name()):
			if err := b.show(name); err != nil {
				return err
			}
		default:
			if err := os.Mkdir(root+name, permissions(host+name)|0o500); err != nil {
				return err
			}
		}
	}
	for _, f := range []struct {
		name string
		mode fs.FileMode
	}{{"/tmp", 0o777 | fs.ModeSticky}, {"/var/tmp", 0o777 | fs.ModeSticky}, {"/run", 0o755}} {
		if err := b.fresh(f.name, f.mode); err != nil {
			return err
		}
	}
	if err := makeFolder(root + "/proc"); err != nil {
		return err
	}
	if err := unix.Mount("proc", root+"/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("/proc cannot be mounted for it: %w", err)
	}
	if _, err := os.Stat(host + "/sys"); err != nil {
		return nil //nolint:nilerr // it is not there
	}
	return bind(host+"/sys", root+"/sys")
}

// home creates the user's home folder, which may be inside a folder created earlier.
func (b *builder) home() error {
	if err := b.fresh(b.Home, 0o755); err != nil || len(b.State.Keep) == 0 {
		return err
	}
	return b.kept.keepHome(b.Home, root+b.Home)
}

// variable shows the folders in shownOfVar that exist, and the other folders of /var
// empty.
func (b *builder) variable() error {
	entries, err := os.ReadDir(host + "/var")
	if err != nil {
		return fmt.Errorf("/var cannot be read: %w", err)
	}
	if err := makeFolder(root + "/var"); err != nil {
		return err
	}
	for _, e := range entries {
		name := "/var/" + e.Name()
		err = nil
		if e.IsDir() {
			err = os.Mkdir(root+name, permissions(host+name)|0o500)
		} else if to, linked := os.Readlink(host + name); linked == nil {
			err = os.Symlink(to, root+name)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range shownOfVar {
		if info, err := os.Lstat(host + name); err != nil || !info.IsDir() || unix.Access(host+name, unix.R_OK|unix.X_OK) != nil {
			continue
		}
		if err := b.show(name); err != nil {
			return err
		}
	}
	return nil
}

// fresh creates an empty writable folder. It does nothing if the host has no such folder,
// or only a link to another.
func (b *builder) fresh(name string, mode fs.FileMode) error {
	if name == "" || name == "/" {
		return nil
	}
	if info, err := os.Lstat(root + name); err == nil && !info.IsDir() {
		return nil
	}
	if err := makeFolder(root + name); err != nil {
		if errors.Is(err, unix.EROFS) {
			return nil // a system without /var/tmp
		}
		return err
	}
	dir, err := b.newFolder(write, mode)
	if err != nil {
		return err
	}
	return bind(dir, root+name)
}

// newFolder creates a folder for files that the command writes.
func (b *builder) newFolder(in string, mode fs.FileMode) (string, error) {
	b.uppers++
	dir := fmt.Sprintf("%s/%d", in, b.uppers)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, mode)
}

// nodes are the devices of a world: none of them gives access to anything.
var nodes = []string{"null", "zero", "full", "random", "urandom", "tty"}

// bindDevices mounts the nodes in dev.
func bindDevices() error {
	for _, name := range nodes {
		at := dev + "/" + name
		if err := os.WriteFile(at, nil, 0o666); err != nil {
			return err
		}
		if err := bind(host+at, at); err != nil {
			return err
		}
	}
	return nil
}

// devices creates /dev of the world: the nodes, its own terminals and shared memory.
func (b *builder) devices() error {
	for name, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		if err := os.Symlink(to, dev+"/"+name); err != nil {
			return err
		}
	}
	if err := errors.Join(os.Mkdir(dev+"/pts", 0o755), os.Mkdir(dev+"/shm", 0o755), makeFolder(root+"/dev")); err != nil {
		return err
	}
	if err := bind(dev, root+"/dev"); err != nil {
		return err
	}
	// Programs that need no terminal work without it.
	_ = unix.Mount("devpts", root+"/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
	if err := b.fresh("/dev/shm", 0o777|fs.ModeSticky); err != nil {
		return err
	}
	return readOnly(root+"/dev", false)
}

// reservedIDs is the number of process ids that the kernel does not use again.
const reservedIDs = 300

// limitProcesses limits the processes of all users in this PID namespace. Linux has that
// limit for each namespace from 6.14 on; before, the same file sets the limit of the
// whole system, and limitProcesses leaves it alone.
func (b *builder) limitProcesses() error {
	var name unix.Utsname
	if b.Processes <= 0 || unix.Uname(&name) != nil {
		return nil
	}
	var major, minor int
	if _, err := fmt.Sscanf(unix.ByteSliceToString(name.Release[:]), "%d.%d", &major, &minor); err != nil || major < 6 || major == 6 && minor < 14 {
		return nil
	}
	if err := os.WriteFile("/proc/sys/kernel/pid_max", []byte(strconv.Itoa(b.Processes+reservedIDs)), 0); err != nil {
		return fmt.Errorf("its processes cannot be limited: %w", err)
	}
	return nil
}

// shutProc makes the root and the parts of /proc that configure the kernel read-only.
func shutProc() error {
	// Allow no user namespaces inside this one: they would open more ways to attack the
	// kernel.
	_ = os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
	for _, what := range []string{"instances", "watches"} { // the user's editors need the others
		text, _ := os.ReadFile("/proc/sys/fs/inotify/max_user_" + what)
		if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			_ = os.WriteFile("/proc/sys/user/max_inotify_"+what, []byte(strconv.Itoa(n/2)), 0)
		}
	}
	for _, name := range []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi"} {
		if _, err := os.Stat(name); err != nil {
			continue
		}
		if err := bind(name, name); err != nil {
			return err
		}
		if err := readOnly(name, true); err != nil {
			return err
		}
	}
	return readOnly("/", false)
}

//go:build amd64 || arm64

package world

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// mountTmpfs mounts a file system in memory at a folder that exists.
func mountTmpfs(at, options string) error {
	if err := unix.Mount("tmpfs", at, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return fmt.Errorf("no file system in memory can be mounted: %w", err)
	}
	return nil
}

// bind mounts from, with the mounts in it, at the existing path to.
func bind(from, to string) error {
	if err := unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("%s cannot be mounted: %w", strings.TrimPrefix(from, host), err)
	}
	return nil
}

// readOnly makes a mount read-only; recursive includes the mounts below it.
func readOnly(at string, recursive bool) error {
	flags := uint(0)
	if recursive {
		flags = unix.AT_RECURSIVE
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, at, flags, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("%s cannot be made read-only: %w", at, err)
	}
	return nil
}

// overlay mounts the folder lower as an overlay at the existing folder at. Writes go to
// upper; if upper is "" the overlay is read-only.
//
// Read-only folders are overlays too: through a read-only bind mount, sockets, FIFOs and
// locks would still be those of the host.
func overlay(lower, upper, at string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s cannot be overlaid: %w", strings.TrimPrefix(lower, host), explained(err, lower))
		}
	}()
	// The kernel separates the names of lower folders by colons, and older kernels refuse
	// commas in them or limit their length. So overlay passes the folder as the path of
	// its descriptor.
	opened, err := unix.Open(lower, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(opened)
	fd, err := unix.Fsopen("overlay", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lowers := fmt.Sprintf("%s/proc/self/fd/%d", host, opened)
	if upper == "" {
		lowers += ":" + empty // an overlay without an upper needs two lower folders
	}
	if err := unix.FsconfigSetString(fd, "lowerdir", lowers); err != nil {
		return err
	}
	if isIn(upper, disk) {
		// Nothing reads it after a system crash, so no write needs to wait for the disk.
		if err := unix.FsconfigSetFlag(fd, "volatile"); err != nil {
			return err
		}
	}
	if upper != "" {
		work := upper + ".work"
		if err := os.Mkdir(work, 0o700); err != nil {
			return err
		}
		if err := unix.FsconfigSetString(fd, "upperdir", upper); err != nil {
			return err
		}
		if err := unix.FsconfigSetString(fd, "workdir", work); err != nil {
			return err
		}
	}
	if err := unix.FsconfigSetFlag(fd, "userxattr"); err != nil {
		return err
	}
	if err := unix.FsconfigCreate(fd); err != nil {
		return err
	}
	mounted, err := unix.Fsmount(fd, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
	if err != nil {
		return err
	}
	defer unix.Close(mounted)
	return unix.MoveMount(mounted, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// explained explains the error of an overlay of a folder in words, where the kernel
// reports only that an argument is invalid.
func explained(err error, lower string) error {
	var is unix.Statfs_t
	switch {
	case !errors.Is(err, unix.EINVAL) || unix.Statfs(lower, &is) != nil:
		return err
	case is.Type == unix.OVERLAYFS_SUPER_MAGIC:
		return errors.New("it is on two overlays already, and Linux allows no third: move it to another file system, such as a volume of the container")
	}
	return fmt.Errorf("its file system may not be able to be part of an overlay: %w", err)
}

// sameDevice reports whether two files are on the same file system.
func sameDevice(a, b string) bool {
	var x, y unix.Stat_t
	return unix.Stat(a, &x) == nil && unix.Stat(b, &y) == nil && x.Dev == y.Dev
}

// permissions returns the permissions of a folder, 0755 if it cannot be read.
func permissions(dir string) os.FileMode {
	if info, err := os.Stat(dir); err == nil {
		return info.Mode().Perm()
	}
	return 0o755
}

// makeFolder creates a folder and its parents; they may exist.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("the folder %s cannot be made: %w", filepath.Base(dir), err)
	}
	return nil
}

// mountPoints are the paths at which something is mounted. The kernel refuses to mount a
// folder without the mounts below it, so a world builds such a folder from its entries.
type mountPoints []string

// readMountPoints returns the mount points of this process, from lines such as (proc_pid_mountinfo(5))
//
//	36 35 98:0 /shop /home/me/my\040shop rw,noatime - ext4 /dev/sda1 rw
func readMountPoints() (mountPoints, error) {
	list, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("its mounts cannot be read: %w", err)
	}
	var points mountPoints
	for line := range strings.Lines(string(list)) {
		if fields := strings.Fields(line); len(fields) > 4 { // fields: id, parent, device, root, mount point
			points = append(points, unescape(fields[4]))
		}
	}
	return points, nil
}

// MountPoints returns the absolute names where something is mounted, nil if that is not known.
func MountPoints() map[string]bool {
	points, err := readMountPoints()
	if err != nil {
		return nil
	}
	names := make(map[string]bool, len(points))
	for _, p := range points {
		names[p] = true
	}
	return names
}

// unescape decodes the \ooo escapes in a field of mountinfo: "my\040shop" is "my shop".
func unescape(field string) string {
	var b strings.Builder
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+3 < len(field) {
			if c, err := strconv.ParseUint(field[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		b.WriteByte(field[i])
	}
	return b.String()
}

// below reports whether something is mounted below dir.
func (m mountPoints) below(dir string) bool {
	for _, p := range m {
		if p != dir && isIn(p, dir) {
			return true
		}
	}
	return false
}

// Private returns the files and folders in /etc that not every user of this system can
// read, such as keys and passwords of services. They belong in [World.Hidden]: no build
// needs them, but root or a member of their group could read them. Listing them takes a
// few milliseconds, so the result is cached for a minute.
func Private() []string { return ofEtc.names() }

var ofEtc = privateFiles{dir: "/etc", fresh: time.Minute}

// privateFiles are the private files of one folder.
type privateFiles struct {
	dir   string
	fresh time.Duration // how long a list is valid

	mu   sync.Mutex
	read time.Time
	list []string
}

func (p *privateFiles) names() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.read.IsZero() || time.Since(p.read) > p.fresh {
		p.list, p.read = privateIn(p.dir), time.Now()
	}
	return slices.Clone(p.list)
}

// privateIn returns the files and folders in dir that others than their owner and group cannot
// read.
func privateIn(dir string) (names []string) {
	const others = 0o004 // others may read it
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == dir || e.Type()&fs.ModeSymlink != 0 { // the target of a link is checked by itself
			return nil
		}
		info, err := e.Info()
		if err != nil || info.Mode().Perm()&others != 0 {
			return nil //nolint:nilerr // it is gone
		}
		names = append(names, name)
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return names
}

// Fits checks whether the file system of a folder can hold the Uppers of worlds. The
// error is a part of a sentence.
func Fits(dir string) error {
	var is unix.Statfs_t
	if err := unix.Statfs(dir, &is); err != nil {
		return err
	}
	if is.Type == unix.OVERLAYFS_SUPER_MAGIC {
		return errors.New("it is on an overlay itself")
	}
	const attribute = "user.overlay.redline"
	if err := unix.Setxattr(dir, attribute, []byte("y"), 0); err != nil {
		return fmt.Errorf("its file system has no extended attributes: %w", err)
	}
	return unix.Removexattr(dir, attribute)
}

// mountUppers mounts the folder for uppers at disk.
func (b *builder) mountUppers() error {
	if b.Uppers == "" {
		return nil
	}
	if err := unix.Mount(host+b.Uppers, disk, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("the folder for what is written cannot be mounted: %w", err)
	}
	return nil
}

// holdsUppers reports whether the folder for uppers is inside dir: an overlay of dir
// cannot have its upper there.
func (b *builder) holdsUppers(dir string) bool {
	return b.Uppers != "" && isIn(b.Uppers, dir)
}

// upper creates the upper of an overlay of a host folder.
func (b *builder) upper(dir string) (string, error) {
	in := write
	if b.Uppers != "" {
		in = disk
	}
	upper, err := b.newFolder(in, permissions(host+dir))
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(host + dir); err == nil {
		_ = os.Chtimes(upper, info.ModTime(), info.ModTime()) // if this fails, programs only see another time
	}
	return upper, nil
}

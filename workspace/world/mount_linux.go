//go:build amd64 || arm64

package world

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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

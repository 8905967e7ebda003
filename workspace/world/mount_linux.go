//go:build amd64 || arm64

package world

import (
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

// bind shows from, with what is mounted in it, at the existing name to.
func bind(from, to string) error {
	if err := unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("%s cannot be mounted: %w", strings.TrimPrefix(from, host), err)
	}
	return nil
}

// readOnly makes a mount read-only; recursive: also those below it.
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

// overlay mounts the folder lower at the existing folder at. What is written goes to upper;
// with upper "" nothing can be written.
//
// Read-only folders are overlays too: through a read-only bind mount, sockets, FIFOs and
// locks would still be those of the host.
func overlay(lower, upper, at string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s cannot be overlaid: %w", strings.TrimPrefix(lower, host), err)
		}
	}()
	fd, err := unix.Fsopen("overlay", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	lowers := []string{lower}
	if upper == "" {
		lowers = append(lowers, empty) // an overlay without an upper needs two
	}
	if err := addLowers(fd, lowers); err != nil {
		return err
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

// addLowers sets the lower folders of an overlay: one by one, which takes any name, or before
// Linux 6.8 in one text, whose colons and backslashes are escaped.
func addLowers(fd int, lowers []string) error {
	escaped := strings.NewReplacer(`\`, `\\`, ":", `\:`)
	var all []string
	for _, l := range lowers {
		if err := unix.FsconfigSetString(fd, "lowerdir+", l); err != nil {
			all = append(all, escaped.Replace(l))
		}
	}
	switch len(all) {
	case 0:
		return nil
	case len(lowers):
		return unix.FsconfigSetString(fd, "lowerdir", strings.Join(all, ":"))
	}
	return unix.EINVAL
}

// sameDevice reports whether two files are in one file system.
func sameDevice(a, b string) bool {
	var x, y unix.Stat_t
	return unix.Stat(a, &x) == nil && unix.Stat(b, &y) == nil && x.Dev == y.Dev
}

// permissions returns those of a folder, 0755 if it cannot be read.
func permissions(dir string) os.FileMode {
	if info, err := os.Stat(dir); err == nil {
		return info.Mode().Perm()
	}
	return 0o755
}

// makeFolder makes a folder with those above it, which may exist.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("the folder %s cannot be made: %w", filepath.Base(dir), err)
	}
	return nil
}

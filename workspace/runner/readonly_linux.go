package runner

import (
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// readOnlyExcept makes all files read-only for this process and everything that it
// starts, except in the folders write, whose paths are absolute and without links. That
// also protects permissions, owners, times and attributes, which Landlock does not.
// Devices cannot be opened afterwards, except the usual ones. The process must be in its
// own mount namespace.
//
// It reports whether it did so. An error means that only some files are read-only: then
// the caller must start nothing.
func readOnlyExcept(write []string) (done bool, err error) {
	if slices.Contains(write, "/") {
		return false, nil
	}
	places := slices.Concat(outermost(write), devices)
	trees := make([]int, len(places))
	for i, name := range places { // with the mounts below, which keep their own flags
		fd, err := unix.OpenTree(unix.AT_FDCWD, name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_NO_AUTOMOUNT)
		if trees[i] = fd; err != nil && i < len(places)-len(devices) {
			return false, nil // nothing has changed: the kernel is older than 5.2, or the folder is gone
		}
		if err == nil {
			defer unix.Close(fd)
		}
	}
	for _, fd := range trees[len(places)-len(devices):] { // a device on a read-only mount can still be written to
		_ = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	}
	attr := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NODEV}
	if unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, attr) != nil {
		return false, nil // all or nothing: the kernel is older than 5.12
	}
	for i, name := range places {
		if trees[i] < 0 {
			continue // this system has no such device
		}
		if err := unix.MoveMount(trees[i], "", unix.AT_FDCWD, name, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return false, fmt.Errorf("%s cannot be mounted for it: %w", name, err)
		}
	}
	return true, nil
}

// readOnly makes the mount at name, and those below it, read-only.
func readOnly(name string) error {
	err := unix.MountSetattr(unix.AT_FDCWD, name, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
	if err != unix.ENOSYS {
		return err
	}
	var is unix.Statfs_t // on a kernel before 5.12: keep the flags that are set
	if err := unix.Statfs(name, &is); err != nil {
		return err
	}
	keep := uintptr(is.Flags) & (unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_NOATIME | unix.MS_NODIRATIME | unix.MS_RELATIME)
	return unix.Mount("", name, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|keep, "")
}

// outermost returns the folders that are inside no other of them, sorted.
func outermost(dirs []string) (outer []string) {
	for _, dir := range slices.Sorted(slices.Values(dirs)) {
		if !slices.ContainsFunc(outer, func(o string) bool { return isIn(dir, o) }) {
			outer = append(outer, dir)
		}
	}
	return outer
}

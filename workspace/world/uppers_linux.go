//go:build amd64 || arm64

package world

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

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

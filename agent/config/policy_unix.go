//go:build unix

package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// administrators are the users that a policy and the folders above it may belong to.
var administrators = []uint32{0} // root

// maxPolicyLinks is how many symbolic links are followed to a policy.
const maxPolicyLinks = 40

// systemFolder returns the folder of the machine's own settings for Redline.
func systemFolder() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/Redline"
	}
	return "/etc/redline"
}

// findPolicy follows the path of a policy, link by link, and reports whether there is one. why
// says why somebody else than the administrator could have written, replaced or removed it, as a
// part of a sentence; "" if nobody could.
func findPolicy(path string) (there bool, why string) {
	dir, rest, links := "/", names(path), 0
	var folders, folder string // what is wrong with the folders so far, and with the last one
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			dir = filepath.Dir(dir)
			continue
		}
		at := filepath.Join(dir, name)
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist) && links > 0:
			return true, fmt.Sprintf("it is a link, and %s does not exist", at)
		case errors.Is(err, fs.ErrNotExist) && len(rest) == 0:
			return folder != "", folder
		case errors.Is(err, fs.ErrNotExist):
			return false, ""
		case err != nil:
			return true, withoutPath(err).Error()
		case info.Mode()&fs.ModeSymlink != 0:
			if links++; links > maxPolicyLinks {
				return true, "its links lead in a circle"
			}
			target, err := os.Readlink(at)
			if err != nil {
				return true, withoutPath(err).Error()
			}
			if filepath.IsAbs(target) {
				dir = "/"
			}
			rest = append(names(target), rest...)
		case len(rest) == 0:
			if wrong := writtenByOthers("it", "it", info); wrong != "" {
				return true, wrong
			}
			return true, folders
		default:
			called := "the folder " + at
			if len(rest) == 1 {
				called = "its folder"
			}
			folder = writtenByOthers(called, "to "+called, info)
			folders = cmp.Or(folders, folder)
			dir = at
		}
	}
	return true, "it is not a file"
}

// names returns the names in a path.
func names(path string) []string {
	return slices.DeleteFunc(strings.Split(path, "/"), func(name string) bool { return name == "" || name == "." })
}

// writtenByOthers returns why others than the administrators can write a file, or replace what is
// theirs in a folder, as a part of a sentence; "" if they cannot.
func writtenByOthers(name, to string, info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || !slices.Contains(administrators, stat.Uid):
		return name + " does not belong to root"
	case info.Mode().Perm()&0o022 == 0, info.IsDir() && info.Mode()&fs.ModeSticky != 0:
		return ""
	}
	return "others than root can write " + to
}

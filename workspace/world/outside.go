package world

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Outside returns those of names to which no way leads through a workspace, link by link, in their
// order. A workspace can be anybody's work: where a folder of tools is named by way of it, a link in
// it would choose what a command may see or write elsewhere. What really is in the workspace, a
// command has anyway. All names are absolute; they need not exist.
func Outside(names, workspaces []string) []string {
	inside := folderInfos(workspaces)
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return through(name, inside) })
}

// folderInfos returns what identifies those of the folders that exist.
func folderInfos(dirs []string) (infos []fs.FileInfo) {
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil {
			infos = append(infos, info)
		}
	}
	return infos
}

// through reports whether the way to a name is in one of these folders at any point, also if it
// leads out again.
func through(name string, of []fs.FileInfo) bool {
	const separator = string(filepath.Separator)
	top := filepath.VolumeName(name) + separator
	at, rest, links := top, strings.TrimPrefix(name, top), 0
	for rest != "" {
		part, after, _ := strings.Cut(rest, separator)
		rest = after
		switch part {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, part)
		info, err := os.Lstat(next)
		if err != nil { // below it there is no link
			return false
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			if at = next; isOneOf(info, of) {
				return true
			}
			continue
		}
		to, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return true // it leads nowhere
		}
		if to = filepath.FromSlash(to); filepath.IsAbs(to) {
			at = filepath.VolumeName(to) + separator
			to = to[len(filepath.VolumeName(to)):]
		}
		rest = to + separator + rest
	}
	return false
}

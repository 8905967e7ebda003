package toolfolders

import (
	"os"
	"path/filepath"
	"strings"

	"redline/workspace/world"
)

// Opening returns the folder that a setting must name so that commands can write a file, with ~ for
// the home folder: the folder of a tool, a Git directory, or the nearest folder there is. It returns
// "" if no setting can.
func Opening(file string) string {
	home, _ := os.UserHomeDir() // "" if there is none
	dir := folderOf(file, home)
	if info, err := os.Stat(dir); err == nil && !info.IsDir() || len(world.Shown([]string{dir}, Homes())) == 0 {
		return ""
	}
	return Short(dir)
}

// Short shortens the name of a file in the home folder: ~/.nvm.
func Short(name string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return name
	}
	if rel, err := filepath.Rel(home, name); err == nil && filepath.IsLocal(rel) && rel != "." {
		return "~/" + filepath.ToSlash(rel)
	}
	return name
}

// folderOf returns the folder around a file that belongs together.
func folderOf(file, home string) string {
	for _, r := range table {
		for _, dir := range r.places(home, true) {
			if r.seen != "-" && (file == dir || strings.HasPrefix(file, dir+string(filepath.Separator))) {
				return dir
			}
		}
	}
	if before, _, ok := strings.Cut(file+"/", "/.git/"); ok {
		return before + "/.git"
	}
	at, below := file, file
	for !isFolder(at) && at != filepath.Dir(at) {
		at, below = filepath.Dir(at), at
	}
	if len(world.Shown([]string{at}, Homes())) == 0 { // a new folder in the home folder
		return below
	}
	return at
}

package workspace

import (
	"os"
	"path/filepath"
)

// OwnerOf returns the name of a folder without symbolic links, and the user id of its owner;
// -1 if it is unknown, as on systems without user ids.
func OwnerOf(dir string) (name string, uid int) {
	name, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return filepath.Clean(dir), -1
	}
	info, err := os.Stat(name)
	if err != nil {
		return name, -1
	}
	uid, _, ok := ownerOf(info)
	if !ok {
		return name, -1
	}
	return name, uid
}

package git

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// ownFolders remembers when the folders of objects had only files of their own: by absolute
// name, with the time of the last change.
var ownFolders sync.Map

// maxOwnFolders is how many folders have objects: one for each first byte of a hash, and that
// of packs.
const maxOwnFolders = 256 + 1

// ownObjects reports whether a folder of objects, and each pack and object in it, is no link.
func ownObjects(dir string) bool {
	objects, err := os.ReadDir(dir)
	if err != nil || slices.ContainsFunc(objects, func(e os.DirEntry) bool { return !e.Type().IsDir() && !e.Type().IsRegular() }) {
		return false
	}
	looked := 0
	for _, e := range objects {
		if e.IsDir() && e.Name() != "info" {
			if looked++; looked > maxOwnFolders || !ownFiles(filepath.Join(dir, e.Name())) {
				return false
			}
		}
	}
	return true
}

// ownFiles reports whether a folder has no links. It reads only folders that have changed.
func ownFiles(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil {
		return false
	}
	if at, ok := ownFolders.Load(dir); ok && at.(time.Time).Equal(info.ModTime()) {
		return true
	}
	entries, err := os.ReadDir(dir)
	if err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !e.Type().IsDir() && !e.Type().IsRegular() }) {
		return false
	}
	if time.Since(info.ModTime()) > 2*time.Second { // another change may have the same time
		ownFolders.Store(dir, info.ModTime())
	}
	return true
}

package leftover

import (
	"crypto/rand"
	"os"
	"path"
)

// RemoveAll removes a folder and everything in it, including read-only folders, which some tools
// create, and folders that are nested so deep that [os.RemoveAll] runs out of descriptors.
func RemoveAll(dir string) error {
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		empty(dir)
	}
	return os.RemoveAll(dir)
}

// empty removes what it can from a folder. A folder in another one is moved to the top before it is
// emptied, so no name is long.
func empty(dir string) {
	_ = os.Chmod(dir, 0o700)
	top, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer top.Close()
	folders := emptied(top, ".")
	for len(folders) > 0 {
		name := folders[len(folders)-1]
		folders = folders[:len(folders)-1]
		for _, below := range emptied(top, name) {
			to := rand.Text()
			if top.Rename(path.Join(name, below), to) == nil {
				folders = append(folders, to)
			}
		}
		_ = top.Remove(name)
	}
}

// emptied removes the files and the empty folders in a folder, and returns the names of the others.
func emptied(top *os.Root, dir string) (folders []string) {
	opened, err := top.Open(dir)
	if err != nil {
		return nil
	}
	defer opened.Close()
	entries, _ := opened.ReadDir(-1) // as far as they can be read
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if top.Remove(name) == nil || !e.IsDir() {
			continue
		}
		_ = top.Chmod(name, 0o700)
		folders = append(folders, e.Name())
	}
	return folders
}

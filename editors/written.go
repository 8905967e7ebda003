package editors

import (
	"os"
	"path/filepath"
	"strings"
)

// Written is what `redline init` has written for an editor.
type Written struct {
	Editor string
	Path   string // absolute; of a file, or of a folder that is Redline's alone
	Whole  bool   // it can be removed; else the file holds more than what init wrote
}

// Find looks for what [For] has written: a file with just that text, or the folder of a plugin
// in whatever version. A file that has more in it, and mentions Redline, is not Whole. read
// reads a file.
func Find(where Folders, read func(path string) ([]byte, error)) []Written {
	var found []Written
	for _, name := range Names() {
		setup, err := For(name, where)
		if err != nil {
			continue
		}
		if setup.Dir != "" {
			if info, err := os.Lstat(setup.Dir); err == nil && info.IsDir() {
				found = append(found, Written{name, setup.Dir, true})
			}
		}
		for _, f := range setup.Files {
			if setup.Dir != "" && strings.HasPrefix(f.Path, setup.Dir+string(filepath.Separator)) {
				continue
			}
			text, err := read(f.Path)
			switch {
			case err != nil:
			case string(text) == f.Text:
				found = append(found, Written{name, f.Path, true})
			case strings.Contains(string(text), "redline"):
				found = append(found, Written{name, f.Path, false})
			}
		}
	}
	return found
}

// Remove removes what [Find] has found whole, and folders that are empty then, up to but not
// including stop.
func (w Written) Remove(stop string) error {
	if err := os.RemoveAll(w.Path); err != nil {
		return err
	}
	for dir := filepath.Dir(w.Path); strings.HasPrefix(dir, stop+string(filepath.Separator)); dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 0 || os.Remove(dir) != nil {
			return nil
		}
	}
	return nil
}

package workspace

import "strings"

// MakeParents creates the missing folders above path, for editors that do not when they
// create or move a file. unmake removes those of them that are empty. It refuses what
// CreateFile would refuse, before it creates anything. The error is a [*Refusal].
func (d *Disk) MakeParents(path string) (unmake func(), err error) {
	r, rel, err := d.target(path)
	if err != nil {
		return nil, err
	}
	dir, err := r.open()
	if err != nil {
		return nil, refuseFor(path, "created", err)
	}
	made, err := makeParents(dir, rel)
	if err != nil {
		removeFolders(dir, made)
		return nil, refuseFor(path, "created", err)
	}
	return func() { removeFolders(dir, made) }, nil
}

// RemoveFolders removes the folders that are empty, innermost first. It leaves what is no
// longer a folder, or cannot be removed.
func (d *Disk) RemoveFolders(paths []string) {
	for _, path := range paths {
		r, rel, err := d.w.resolve(path)
		if err != nil || rel == "." || reserved(rel) != "" {
			continue
		}
		if dir, err := r.open(); err == nil {
			if info, err := dir.Lstat(rel); err == nil && info.IsDir() {
				removeFolders(dir, []string{rel})
			}
		}
	}
}

// MissingFolders returns the folders above path that do not exist, the innermost first.
func (d *files) MissingFolders(path string) []string {
	var missing []string
	for {
		i := strings.LastIndexByte(path, '/')
		if i < 0 {
			return missing
		}
		path = path[:i]
		if exists, _, err := d.Stat(path); err != nil || exists {
			return missing
		}
		missing = append(missing, path)
	}
}

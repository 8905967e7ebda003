package workspace

import (
	"slices"
)

// maxNames is how many names of one folder Names reads.
const maxNames = 1000

// Names returns the sorted names of the regular files in a folder of Redline's own files,
// such as "templates"; none if the folder does not exist. It leaves out symbolic links and
// follows none in the folder's name.
func (o *Own) Names(folder string) ([]string, error) {
	rel, err := ownName(folder)
	if err != nil {
		return nil, err
	}
	r, err := o.root()
	if err != nil {
		return nil, err
	}
	dir, err := r.open()
	if err != nil {
		return nil, err
	}
	info, err := dir.Lstat(rel)
	if err != nil || !info.IsDir() || plain(dir, rel+"/x") != nil {
		return nil, nil //nolint:nilerr // only a folder has files
	}
	f, err := dir.Open(rel)
	if err != nil {
		return nil, refuseFor(rel, "read", err)
	}
	defer f.Close()
	var names []string
	for len(names) < maxNames {
		entries, err := f.ReadDir(100)
		for _, e := range entries {
			if e.Type().IsRegular() {
				names = append(names, e.Name())
			}
		}
		if err != nil { // io.EOF at the end
			break
		}
	}
	slices.Sort(names)
	return names, nil
}

package workspace

import "strings"

// respell changes the case of a file's name, old in r, and its text, where newPath is the
// same file. Some file systems do nothing for such a rename, so the file gets a temporary
// name in between. If respell fails, the file has its old name.
func (d *Disk) respell(r *root, path, old, newPath, text string, l like) error {
	_, called, err := d.w.locate(newPath)
	if err != nil {
		return err
	}
	if lastName(called) == lastName(old) {
		return refuse(newPath, "differs from %s only in the upper and lower case of a folder, which is one folder here; rename the folder yourself", path)
	}
	dir, err := r.open()
	if err != nil {
		return err
	}
	rel := strings.TrimSuffix(old, lastName(old)) + lastName(called)
	if err := d.temp.respell(dir, old, rel, text, l); err != nil {
		return refuseFor(path, "renamed", err)
	}
	return nil
}

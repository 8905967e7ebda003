package workspace

// MakeParents makes the folders above path that are missing, for editors that
// do not when they create or move a file. unmake takes away again those of them
// that are empty. It refuses what CreateFile would refuse, and has made nothing
// then. The error is a [*Refusal].
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

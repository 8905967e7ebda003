package workspace

// MakeParents makes the folders above path that are missing, for editors that
// do not when they create a file. It refuses what CreateFile would refuse.
// The error is a [*Refusal].
func (d *Disk) MakeParents(path string) error {
	r, rel, err := d.target(path)
	if err != nil {
		return err
	}
	dir, err := r.open()
	if err == nil {
		_, err = makeParents(dir, rel)
	}
	if err != nil {
		return refuseFor(path, "created", err)
	}
	return nil
}

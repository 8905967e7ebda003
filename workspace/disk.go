package workspace

import (
	"context"
	"errors"
	"io/fs"
	"math"

	"redline/edits"
	"redline/edits/landed"
	"redline/edits/track"
)

// Disk is the editor that is only a disk: it makes changes to files without an
// editor, for the command line and for clients that leave files to the server.
// Each file is written beside its place and then put there in one step, so that
// a failure leaves the old file whole and nothing else behind. Permissions are
// kept, and the owner where the system lets us; other names of the same file
// (hard links) keep the old text.
type Disk struct {
	w    *Workspace
	temp replacer
}

// NewDisk returns the disk editor for the files of w.
func NewDisk(w *Workspace) *Disk { return &Disk{w, w.replacer()} }

// Apply makes the changes in order and stops at the first that is refused; what
// was done before stays done. It returns what came of each change that it got
// to. The error is the context's, when it ends in between.
func (d *Disk) Apply(ctx context.Context, changes []edits.Change) ([]edits.Applied, error) {
	var all []edits.Applied
	for _, change := range changes {
		if err := ctx.Err(); err != nil {
			return all, err
		}
		applied := d.apply(change)
		all = append(all, applied)
		if applied.Status == edits.Refused {
			break
		}
	}
	return all, nil
}

// apply makes one change and looks at the text that it left.
func (d *Disk) apply(c edits.Change) edits.Applied {
	applied := edits.Applied{Path: c.Path}
	if why := d.w.Guarded(c); why != "" {
		applied.Status, applied.Reason = edits.Refused, why
		return applied
	}
	var before, after string
	var es []edits.Edit
	var made []int
	var err error
	at := c.Path
	switch c.Kind {
	case edits.Create:
		after = c.Text
		err = d.CreateFile(c.Path, marked(c.BOM)+c.Text, fs.FileMode(c.Mode))
	case edits.Delete:
		err = d.RemoveFile(c.Path, c.Base)
	case edits.Update:
		before, es, made, after, err = d.rebase(c)
		if err == nil {
			err = d.WriteFile(c.Path, before, after)
		}
	case edits.Rename:
		at = c.NewPath
		before, es, made, after, err = d.rebase(c)
		if err == nil {
			err = d.RenameFile(c.Path, c.NewPath, before, after)
		}
	}
	if err != nil {
		applied.Status, applied.Reason = edits.Refused, err.Error()
		return applied
	}
	d.RemoveFolders(c.Folders)
	if c.Kind == edits.Delete {
		return applied
	}
	applied.Text, err = d.seen(at)
	if err != nil {
		applied.Status, applied.Reason = edits.Unverified, at+" was written but cannot be read back; look at it before you go on"
		return applied
	}
	applied.Landings = landed.WithMade(landed.Of(before, es, applied.Text), made)
	if applied.Text != after {
		applied.Status, applied.Reason = edits.Unverified, at+" was written, and something else changed it at once; look at it before you go on"
	}
	return applied
}

// seen returns the bytes at path, text or not, without a byte order mark.
func (d *Disk) seen(path string) (string, error) {
	r, rel, err := d.w.resolve(path)
	if err != nil {
		return "", err
	}
	data, _, err := r.readRegular(path, rel, math.MaxInt64-1)
	text, _ := edits.CutBOM(string(data))
	return text, err
}

// marked is the byte order mark of a file that has one.
func marked(bom bool) string {
	if bom {
		return edits.BOM
	}
	return ""
}

// rebase returns the text on disk, the change's edits as edits of that text, the
// indices of those that it has already, and what the edits make of it.
func (d *Disk) rebase(c edits.Change) (before string, es []edits.Edit, made []int, after string, err error) {
	file, err := d.w.readDisk(c.Path)
	if err != nil {
		return "", nil, nil, "", err
	}
	if !file.Exists {
		return "", nil, nil, "", refuse(c.Path, "does not exist any more")
	}
	es = c.Edits
	if file.Text != c.Base {
		var conflicts []int
		es, made, conflicts = track.Rebase(c.Base, c.Edits, file.Text)
		if len(conflicts) > 0 {
			return "", nil, nil, "", refuse(c.Path, "has changed where it was to be edited (%d of %d places); ask for the change again", len(conflicts), len(c.Edits))
		}
	}
	after, err = edits.Apply(file.Text, es)
	if err != nil {
		return "", nil, nil, "", refuse(c.Path, "was not changed: %v", err)
	}
	return file.Text, es, made, after, nil
}

// CreateFile makes a new file and the folders above it. It never replaces
// anything. text is the whole of the file, with its byte order mark if it is to
// have one; in the other functions that is no part of the text, and is kept. mode holds the permission bits; 0 is what the user gives new files.
// The error is a [*Refusal].
func (d *Disk) CreateFile(path, text string, mode fs.FileMode) error {
	r, rel, err := d.target(path)
	if err != nil {
		return err
	}
	return d.create(r, path, rel, text, like{mode: mode.Perm()})
}

// WriteFile replaces the text of a file that now holds base. The link to a file
// stays and the file that it leads to changes. The error is a [*Refusal].
func (d *Disk) WriteFile(path, base, text string) error {
	r, rel, err := d.target(path)
	if err != nil {
		return err
	}
	l, err := d.fresh(r, path, rel, base)
	if err == nil {
		err = l.writable(path)
	}
	if err != nil {
		return err
	}
	dir, err := r.open()
	if err == nil {
		err = d.temp.replace(dir, rel, text, l)
	}
	if err != nil {
		return refuseFor(path, "written", err)
	}
	return nil
}

// RemoveFile deletes a file that now holds base. Links are not deleted. The
// error is a [*Refusal].
func (d *Disk) RemoveFile(path, base string) error {
	r, rel, err := d.named(path)
	if err != nil {
		return err
	}
	if _, err := d.fresh(r, path, rel, base); err != nil {
		return err
	}
	dir, err := r.open()
	if err == nil {
		err = dir.Remove(rel)
	}
	if err != nil {
		return refuseFor(path, "deleted", err)
	}
	syncDir(dir, rel)
	return nil
}

// RenameFile gives a file that now holds base another name and the text that
// goes with it (base again, when only the name changes). Nothing at newPath is
// ever replaced; folders above it are made. The error is a [*Refusal], and then
// the file is under its old name as it was.
func (d *Disk) RenameFile(path, newPath, base, text string) error {
	from, old, err := d.named(path)
	if err != nil {
		return err
	}
	l, err := d.fresh(from, path, old, base)
	if err == nil && text != base {
		err = l.writable(path)
	}
	if err != nil {
		return err
	}
	to, rel, err := d.target(newPath)
	if err != nil {
		return err
	}
	if d.w.SameFile(path, newPath) {
		return d.respell(from, path, old, newPath, text, l)
	}
	if err := d.create(to, newPath, rel, text, l); err != nil {
		return err
	}
	dir, err := from.open()
	if err == nil {
		err = dir.Remove(old)
	}
	if err != nil {
		if dir, err := to.open(); err == nil {
			dir.Remove(rel)
		}
		return refuseFor(path, "renamed", err)
	}
	syncDir(dir, old)
	return nil
}

// target finds the file that path leads to, which a change may write.
func (d *Disk) target(path string) (*root, string, error) {
	if b, ok := d.w.Buffer(path); ok && b.Dirty {
		return nil, "", refuse(path, "has unsaved changes in the editor; save it and try again")
	}
	r, rel, err := d.w.resolve(path)
	if err != nil {
		return nil, "", err
	}
	if why := reserved(rel); why != "" {
		return nil, "", refuse(path, "%s", why)
	}
	return r, rel, nil
}

// named is target for what takes the name away, which a link is not good for.
func (d *Disk) named(path string) (*root, string, error) {
	r, rel, err := d.target(path)
	if err != nil {
		return nil, "", err
	}
	dir, err := r.open()
	if err != nil {
		return nil, "", err
	}
	_, called, err := d.w.locate(path)
	if err != nil {
		return nil, "", err
	}
	if info, err := dir.Lstat(called); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, "", refuse(path, "is a symbolic link; delete or rename links yourself")
	}
	return r, rel, nil
}

// fresh refuses a file whose text on disk is not base. It returns what the file
// is besides its text.
func (d *Disk) fresh(r *root, path, rel, base string) (like, error) {
	data, info, err := r.readRegular(path, rel, max(d.w.maxFile, int64(len(edits.BOM)+len(base))))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return like{}, refuse(path, "does not exist any more")
	case err != nil:
		return like{}, err
	}
	text, bom := edits.CutBOM(string(data))
	if text != base {
		return like{}, refuse(path, "has changed since it was read; ask for the change again")
	}
	return likeFile(info, bom), nil
}

// writable refuses a file that nobody may write: putting another in its place
// would succeed all the same.
func (l like) writable(path string) error {
	if l.mode.Perm()&0o222 == 0 {
		return refuse(path, "is read-only; make it writable and try again")
	}
	return nil
}

// create makes the folders above rel and the file; when that fails, the folders
// go again.
func (d *Disk) create(r *root, path, rel, text string, l like) error {
	dir, err := r.open()
	if err != nil {
		return err
	}
	if _, err := dir.Lstat(rel); err == nil {
		return refuseFor(path, "created", fs.ErrExist)
	}
	made, err := makeParents(dir, rel)
	if err == nil {
		err = d.temp.create(dir, rel, text, l)
	}
	if err != nil {
		removeFolders(dir, made)
		return refuseFor(path, "created", err)
	}
	return nil
}

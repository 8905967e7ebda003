package workspace

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"strings"

	"redline/edits"
	"redline/edits/charset"
	"redline/edits/landed"
	"redline/edits/track"
)

// Disk is an editor without a user: it changes files on disk directly, for the command line
// and for clients that leave files to the server. It writes each file beside the old one,
// then renames it, so a failure leaves the old file intact and nothing else behind. It
// keeps permissions, and the owner where the system allows it; other hard links to the file
// keep the old text.
type Disk struct {
	w     *Workspace
	temp  replacer
	asked *charset.Charset // see like.asked
}

// NewDisk returns the disk editor for the files of w.
func NewDisk(w *Workspace) *Disk { return &Disk{w: w, temp: w.replacer()} }

// Apply makes the changes in order and stops at the first that is refused; earlier ones
// stay. It returns the result of each change that it tried. The error is that of the
// context if it ends first.
func (d *Disk) Apply(ctx context.Context, changes []edits.Change) ([]edits.Applied, error) {
	return d.ApplyEach(ctx, changes, nil)
}

// ApplyEach does what Apply does. Unless landed is nil, it calls it after each change that was
// made, with the number of changes so far, until one is not.
func (d *Disk) ApplyEach(ctx context.Context, changes []edits.Change, landed func(n int)) ([]edits.Applied, error) {
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
		if applied.Status != edits.Done {
			landed = nil
		}
		if landed != nil {
			landed(len(all))
		}
	}
	return all, nil
}

// apply makes one change and reads the resulting text.
func (d *Disk) apply(c edits.Change) edits.Applied {
	applied := edits.Applied{Path: c.Path}
	if c.AsShown {
		d = &Disk{d.w, d.temp, &c.Charset}
	}
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
		l := newLike(c.Mode)
		l.asked = d.asked
		if c.Restore {
			l = like{mode: fs.FileMode(c.Mode).Perm(), charset: c.Charset, restored: true}
		}
		err = d.createFile(c.Path, marked(c.BOM)+c.Text, l)
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
		applied.Status, applied.Reason = edits.Unverified, at+" was written but cannot be read back; look at it before you continue"
		return applied
	}
	applied.Landings = landed.WithMade(landed.Of(before, es, applied.Text), made)
	if applied.Text != after {
		applied.Status, applied.Reason = edits.Unverified, at+" was written, and something else changed it at once; look at it before you continue"
	}
	return applied
}

// seen returns the text at path without a byte order mark, or its bytes if they are no text.
func (d *Disk) seen(path string) (string, error) {
	r, rel, err := d.w.resolve(path)
	if err != nil {
		return "", err
	}
	data, _, err := r.readRegular(path, rel, math.MaxInt64-1)
	if is, why := d.w.decode(path, data); why == "" {
		return is.text, err
	}
	text, _ := edits.CutBOM(string(data))
	return text, err
}

// marked returns the byte order mark if bom is set, else "".
func marked(bom bool) string {
	if bom {
		return edits.BOM
	}
	return ""
}

// rebase returns the text on disk, the change's edits adapted to it, the indices of the
// edits that it already contains, and the resulting text.
func (d *Disk) rebase(c edits.Change) (before string, es []edits.Edit, made []int, after string, err error) {
	file, err := d.w.ReadSaved(c.Path)
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

// WritesCharset reports whether a change of f, a file that is not open, writes another charset than
// UTF-8, or writes UTF-8 where an editor may not, since a rule names another.
func (d *files) WritesCharset(f File, c edits.Change) bool {
	if c.Kind == edits.Create {
		other := func(in charset.Charset) bool {
			return in != charset.UTF8 && (in.IsUTF16() || !charset.ASCII(c.Text))
		}
		return other(d.rule(c.Path)) || c.AsShown && other(c.Charset)
	}
	if f.Charset != charset.UTF8 {
		return true
	}
	return (f.Text == "" || edits.AddsCharacters(c.Edits) && charset.ASCII(f.Text)) &&
		(d.added(c.Path) != charset.UTF8 || c.AsShown && c.Charset != charset.UTF8)
}

// CreateFile creates a file and the folders above it. It never replaces anything. text is
// the whole content, including the byte order mark if there is to be one; the other
// functions take the text without the mark and keep it. If mode lets anyone run the file, it
// is created as a program; the user's umask counts. The error is a [*Refusal].
func (d *Disk) CreateFile(path, text string, mode fs.FileMode) error {
	return d.createFile(path, text, newLike(uint32(mode)))
}

func (d *Disk) createFile(path, text string, l like) error {
	r, rel, err := d.target(path)
	if err == nil {
		text, l.bom = edits.CutBOM(text)
		text, err = d.w.toWriteNew(path, text, &l)
	}
	if err != nil {
		return err
	}
	d.w.had.Delete(path)
	return d.create(r, path, rel, text, l)
}

// WriteFile replaces the text of a file that now holds base. It keeps a symbolic link and
// changes the file that it leads to. The error is a [*Refusal].
func (d *Disk) WriteFile(path, base, text string) error {
	r, rel, err := d.target(path)
	if err != nil {
		return err
	}
	l, err := d.fresh(r, path, rel, base)
	if err == nil {
		err = l.writable(path)
	}
	after := text
	if err == nil {
		text, err = d.w.toWrite(path, base, after, &l)
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
	d.w.noteCharset(path, base, after, l.charset)
	return nil
}

// RemoveFile deletes a file that now holds base. It does not delete links. The error is a
// [*Refusal].
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

// RenameFile renames a file that now holds base and gives it text (base again if only the
// name changes). It never replaces anything at newPath, and creates the folders above it.
// The error is a [*Refusal]; then the old file is unchanged.
func (d *Disk) RenameFile(path, newPath, base, text string) (err error) {
	notMoved := func() {}
	defer func() {
		if err != nil {
			notMoved()
		}
	}()
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
	if err == nil {
		notMoved = d.w.moveShown(path, newPath)
		after := text
		if text, err = d.w.toWrite(newPath, base, text, &l); err == nil {
			d.w.noteCharset(newPath, base, after, l.charset)
		}
	}
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

// target finds the file that path leads to and that a change may write.
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

// named is target for a change of the name itself: it refuses links.
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

// fresh refuses a file whose text on disk is not base. It returns the other attributes of
// the file.
func (d *Disk) fresh(r *root, path, rel, base string) (like, error) {
	data, info, err := r.readRegular(path, rel, max(d.w.LimitOf(path), int64(len(edits.BOM)+2*len(base))))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return like{}, refuse(path, "does not exist any more")
	case err != nil:
		return like{}, err
	}
	is, why := d.w.decode(path, data)
	if why != "" || is.text != base {
		return like{}, refuse(path, "has changed since it was read; ask for the change again")
	}
	l := likeFile(info, is)
	l.asked = d.asked
	return l, nil
}

// writable refuses a read-only file: replacing it would succeed all the same.
func (l like) writable(path string) error {
	if l.mode.Perm()&0o222 == 0 {
		return refuse(path, "is read-only; make it writable and try again")
	}
	return nil
}

// create creates the folders above rel and the file; if that fails, it removes the folders
// again.
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

package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// ownIgnore keeps what Redline writes out of version control.
const ownIgnore = "chat.md\nplans/\n.gitignore\n"

// Own is Redline's own files: those below .redline in the first workspace
// folder, or below the state directory when that folder cannot be written.
// Names are slash-separated and relative to .redline ("plans/0001-r1.md").
type Own struct{ w *Workspace }

// Own returns Redline's own files of this workspace.
func (w *Workspace) Own() *Own { return &Own{w} }

// Write puts data in the file name, in one step, and returns the absolute name
// and the URI of where it went. The first file that is written makes .redline
// and its .gitignore. The user alone may read it. No symbolic link is followed. The
// error is a [*Refusal].
func (o *Own) Write(name string, data []byte) (absPath, uri string, err error) {
	rel, err := ownName(name)
	if err != nil {
		return "", "", err
	}
	r, err := o.root()
	if err != nil {
		return "", "", err
	}
	dir, err := r.open()
	if err == nil {
		err = o.writeIn(dir, rel, data)
	}
	if err == nil {
		return filepath.Join(r.Dir, filepath.FromSlash(rel)), o.w.URI(o.w.pathIn(r, rel)), nil
	}
	if o.w.stateDir == "" || !cannotWrite(err) {
		return "", "", refuseFor(rel, "written", err)
	}
	absPath = o.elsewhere(r, name)
	if err := o.writeElsewhere(r, name, data); err != nil {
		return "", "", refuseFor(absPath, "written", err)
	}
	return absPath, uriOfDir(absPath, windows), nil
}

// maxPreview is the size in bytes above which a preview is not read, where the user's
// limit for files is less: what somebody has struck out in one must be seen.
const maxPreview = 64 << 20

// Read returns the file name as it is on disk. One that is not there is an error
// for which errors.Is(err, fs.ErrNotExist).
func (o *Own) Read(name string) ([]byte, error) {
	rel, err := ownName(name)
	if err != nil {
		return nil, err
	}
	r, err := o.root()
	if err != nil {
		return nil, err
	}
	limit := o.w.maxFile
	if strings.HasPrefix(name, "plans/") {
		limit = max(limit, maxPreview)
	}
	if dir, err := r.open(); err == nil {
		if err := plain(dir, rel); err == nil {
			data, _, err := r.readRegular(rel, rel, limit)
			if !errors.Is(err, fs.ErrNotExist) {
				return data, err
			}
		}
	}
	if o.w.stateDir == "" {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(o.elsewhere(r, name))
}

// Remove removes one of Redline's own files if it is as it was written: with the
// bytes written on the disk, and nothing else in an editor. It tells whether it
// did. Nobody's own words are removed, and no symbolic link is followed.
func (o *Own) Remove(name string, written []byte) (removed bool, err error) {
	rel, err := ownName(name)
	if err != nil {
		return false, err
	}
	if b, open := o.w.BufferURI(o.URI(name)); open && b.Lines.Text() != string(written) {
		return false, nil
	}
	data, err := o.Read(name)
	if err != nil || string(data) != string(written) {
		return false, nil //nolint:nilerr // what is not there, or cannot be read, is not as it was written
	}
	r, err := o.root()
	if err != nil {
		return false, err
	}
	dir, err := r.open()
	if err != nil {
		return false, err
	}
	if plain(dir, rel) == nil {
		switch err := dir.Remove(rel); {
		case err == nil:
			return true, nil
		case !errors.Is(err, fs.ErrNotExist):
			return false, refuseFor(rel, "removed", err)
		}
	}
	if o.w.stateDir == "" {
		return false, nil
	}
	return os.Remove(o.elsewhere(r, name)) == nil, nil
}

// Path returns the workspace path of the file name.
func (o *Own) Path(name string) string {
	rel := path.Join(ownDir, name)
	if r, err := o.root(); err == nil {
		return o.w.pathIn(r, rel)
	}
	return rel
}

// URI returns the URI of the file name: as the client spelled it when it is
// open, else where the file is, else where it would be.
func (o *Own) URI(name string) string {
	p := o.Path(name)
	if r, err := o.root(); err == nil && o.w.stateDir != "" {
		if exists, _, _ := o.w.Stat(p); !exists {
			if abs := o.elsewhere(r, name); fileExists(abs) {
				return uriOfDir(abs, windows)
			}
		}
	}
	return o.w.URI(p)
}

// Is says whether a workspace path or a URI is one of Redline's own files, and
// its name.
func (o *Own) Is(pathOrURI string) (name string, ok bool) {
	r, err := o.root()
	if err != nil {
		return "", false
	}
	p := pathOrURI
	if abs, ok := dirOfURI(pathOrURI); ok {
		if p, ok = o.w.pathOfAbs(abs); !ok {
			rest, err := filepath.Rel(o.elsewhere(r, ""), abs)
			rest = filepath.ToSlash(rest)
			return rest, o.w.stateDir != "" && err == nil && rest != "." && fs.ValidPath(rest)
		}
	}
	in, rel, err := o.w.locate(p)
	if err != nil || in != r {
		return "", false
	}
	return strings.CutPrefix(rel, ownDir+"/")
}

// IsDocument is Is for the URI of a document: one that names no file is false.
func (o *Own) IsDocument(uri string) (name string, ok bool) {
	if file, ok := decode(uri, windows); !ok || strings.HasSuffix(file, "/") {
		return "", false
	}
	return o.Is(uri)
}

func (o *Own) root() (*root, error) {
	roots := o.w.allRoots()
	if len(roots) == 0 {
		return nil, refuse("", "no workspace folder is open; open a folder in the editor and try again")
	}
	return roots[0], nil
}

// elsewhere returns the absolute name that a file of the folder r has when it
// cannot be in the folder.
func (o *Own) elsewhere(r *root, name string) string {
	sum := sha256.Sum256([]byte(r.Dir))
	return filepath.Join(o.w.stateDir, "previews", hex.EncodeToString(sum[:8]), filepath.FromSlash(name))
}

func (o *Own) writeElsewhere(r *root, name string, data []byte) error {
	base := o.elsewhere(r, "")
	if err := os.MkdirAll(base, 0o700); err != nil {
		return err
	}
	dir, err := os.OpenRoot(base)
	if err != nil {
		return err
	}
	defer dir.Close()
	return o.put(dir, name, data, ownMode)
}

// writeIn writes rel, which is below .redline, and the .gitignore there.
func (o *Own) writeIn(dir *os.Root, rel string, data []byte) error {
	if err := plain(dir, rel); err != nil {
		return err
	}
	if err := o.put(dir, rel, data, ownMode); err != nil {
		return err
	}
	ignore := ownDir + "/.gitignore"
	if _, err := dir.Lstat(ignore); errors.Is(err, fs.ErrNotExist) {
		return o.put(dir, ignore, []byte(ownIgnore), 0) // git may be run by another user
	}
	return nil
}

// ownMode is who may read what Redline writes about the user's files: the user
// alone. Previews, the chat file and traces quote them, and some may be private.
const ownMode fs.FileMode = 0o600

// put writes a file and the folders above it. mode 0 is what the user gives new
// files.
func (o *Own) put(dir *os.Root, rel string, data []byte, mode fs.FileMode) error {
	if _, err := makeParents(dir, rel); err != nil {
		return err
	}
	return o.w.replacer().replace(dir, rel, string(data), like{mode: mode})
}

// errNotPlain says that a part of a name is no plain folder or file.
var errNotPlain = errors.New("a part of its path is a symbolic link or no folder")

// plain checks that every part of rel that exists is a folder, and the last a
// regular file: a link could lead what is written here into the user's files.
func plain(dir *os.Root, rel string) error {
	for i := range len(rel) + 1 {
		if i < len(rel) && rel[i] != '/' {
			continue
		}
		info, err := dir.Lstat(rel[:i])
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case i < len(rel) && !info.IsDir(), i == len(rel) && !info.Mode().IsRegular():
			return errNotPlain
		}
	}
	return nil
}

// cannotWrite says whether err means that a folder is not for writing, rather
// than that writing failed.
func cannotWrite(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, errNotPlain)
}

// ownName checks name and returns what it is called from the workspace folder.
func ownName(name string) (string, error) {
	if !fs.ValidPath(name) || name == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", refuse(name, "is not a name for one of Redline's own files")
	}
	return path.Join(ownDir, name), nil
}

func fileExists(abs string) bool {
	_, err := os.Lstat(abs)
	return err == nil
}

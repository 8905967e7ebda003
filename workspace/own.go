package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"redline/internal/smallfile"
	"redline/workspace/leftover"
)

// ownIgnore keeps what Redline writes out of version control.
const ownIgnore = "chat.md\nplans/\n.gitignore\n"

// Own gives access to Redline's own files: those below .redline in the first workspace
// folder, or below the state directory if that folder is not writable. Names are
// slash-separated and relative to .redline ("plans/0001-r1.md").
type Own struct{ w *Workspace }

// Own returns the access to Redline's own files of this workspace.
func (w *Workspace) Own() *Own { return &Own{w} }

// Write atomically writes data to the file name, and returns the absolute name and the URI
// of the result. The first write creates .redline and its .gitignore. Only the user may
// read the file. Write follows no symbolic link. The error is a [*Refusal].
func (o *Own) Write(name string, data []byte) (absPath, uri string, err error) {
	r, rel, err := o.at(name)
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

// at returns the folder of Redline's own files, and the path of one of them in it.
func (o *Own) at(name string) (r *root, rel string, err error) {
	if rel, err = ownName(name); err == nil {
		r, err = o.root()
	}
	return r, rel, err
}

// maxPreview is the size in bytes above which a preview is not read, if the user's limit
// for files is lower: what a user strikes out in one must be read.
const maxPreview = 64 << 20

// Read returns the content of the file name on disk. The error for a missing file satisfies
// errors.Is(err, fs.ErrNotExist).
func (o *Own) Read(name string) ([]byte, error) {
	r, rel, err := o.at(name)
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
	text, err := smallfile.Read(o.elsewhere(r, name), limit)
	return []byte(text), err
}

// Remove removes one of Redline's own files if it is unchanged: the disk has the bytes
// written, and no editor has another text. It reports whether it did. It never removes the
// user's words and follows no symbolic link.
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
		return false, nil //nolint:nilerr // a missing or unreadable file does not count as unchanged
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

// URI returns the URI of the file name: as the client spelled it if it is open, else that
// of its present or future place.
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

// Is reports whether a workspace path or a URI is one of Redline's own files, and returns
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

// IsDocument is Is for the URI of a document: it is false for a URI that names no file.
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

// elsewhere returns the absolute name, in the state directory, of a file that cannot be in
// the folder r.
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
	return o.put(dir, name, data, likeOwn(name))
}

// writeIn writes rel, which is below .redline, and the .gitignore there.
func (o *Own) writeIn(dir *os.Root, rel string, data []byte) error {
	if err := plain(dir, rel); err != nil {
		return err
	}
	if err := o.put(dir, rel, data, likeOwn(strings.TrimPrefix(rel, ownDir+"/"))); err != nil {
		return err
	}
	ignore := ownDir + "/.gitignore"
	if _, err := dir.Lstat(ignore); errors.Is(err, fs.ErrNotExist) {
		return o.put(dir, ignore, []byte(ownIgnore), like{ours: true}) // of the user's default mode: git may be run by another user
	}
	return nil
}

// ownMode is the mode of files that Redline writes about the user's files: previews, the
// chat file and traces quote them, and some may be private.
const ownMode fs.FileMode = 0o600

// likeOwn returns the attributes of one of Redline's own files. What is below plans/ is made from
// the plan database, which survives a crash of the system; the chat file has the user's words.
func likeOwn(name string) like {
	return like{mode: ownMode, ours: strings.HasPrefix(name, "plans/")}
}

// put writes a file and creates the folders above it.
func (o *Own) put(dir *os.Root, rel string, data []byte, l like) error {
	if _, err := makeParents(dir, rel); err != nil {
		return err
	}
	return o.w.replacer().replace(dir, rel, string(data), l)
}

// errNotPlain reports that a part of a path is not a plain folder or file.
var errNotPlain = errors.New("a part of its path is a symbolic link or no folder")

// plain checks that every existing part of rel is a folder, and the last a regular file:
// through a link, Redline could overwrite the user's files.
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

// cannotWrite reports whether err means that a folder is not writable, as opposed to a
// failed write.
func cannotWrite(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, errNotPlain)
}

// ownName checks name and returns it relative to the workspace folder.
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

// maxNames is how many names of one folder Names reads.
const maxNames = 1000

// Names returns the sorted names of the regular files in a folder of Redline's own files,
// such as "templates"; none if the folder does not exist. It leaves out symbolic links and
// follows none in the folder's name.
func (o *Own) Names(folder string) ([]string, error) {
	r, rel, err := o.at(folder)
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

// Custom has the files NAME.md of one kind by which users adapt Redline: in a folder of their
// own, beside the settings, and in one of the repository, such as .redline/templates.
type Custom struct {
	Workspace *Workspace
	Dir       string // the user's own folder, "" for none
	Folder    string // the repository's, in .redline
	Limit     int64  // in bytes: of a longer file one more is read
}

// CustomFile is one of these files.
type CustomFile struct {
	Name  string // without .md
	Path  string // the user reads this
	Yours bool   // in the user's own folder
}

// List returns the files, the user's own first, each sorted by name. A folder that cannot be read has
// none.
func (c Custom) List() (files []CustomFile) {
	add := func(name, path string, yours bool) {
		if base, ok := strings.CutSuffix(name, ".md"); ok {
			files = append(files, CustomFile{base, path, yours})
		}
	}
	if c.Dir != "" {
		entries, _ := os.ReadDir(c.Dir)
		for _, e := range entries {
			add(e.Name(), filepath.Join(c.Dir, e.Name()), true)
		}
	}
	names, _ := c.Workspace.Own().Names(c.Folder)
	for _, name := range names {
		add(name, ownDir+"/"+c.Folder+"/"+name, false)
	}
	return files
}

// Read returns the text of a file.
func (c Custom) Read(f CustomFile) (string, error) {
	if f.Yours {
		return smallfile.Read(f.Path, c.Limit)
	}
	data, err := c.Workspace.Own().Read(c.Folder + "/" + f.Name + ".md")
	return string(data), err
}

// Left is what Redline has written below .redline in a folder.
type Left struct {
	Previews int  // files in .redline/plans
	Chat     bool // there is a chat file
}

// LeftIn looks for what Redline has written below .redline in a folder. What a user has made
// there, agents and templates, does not count. It follows no symbolic link.
func LeftIn(dir string) Left {
	var left Left
	root, err := os.OpenRoot(dir)
	if err != nil {
		return left
	}
	defer root.Close()
	left.Previews = len(previews(root))
	left.Chat = plain(root, ownDir+"/chat.md") == nil && exists(root, ownDir+"/chat.md")
	return left
}

// RemoveOwn removes what [LeftIn] finds in a folder, the chat file only if chat is set, and
// .redline itself if nothing else is in it. It follows no symbolic link. The errors are those of
// files that could not be removed; the others are removed all the same.
func RemoveOwn(dir string, chat bool) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	var failed []error
	remove := func(name string) {
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	for _, name := range previews(root) {
		remove(name)
	}
	if chat && plain(root, ownDir+"/chat.md") == nil {
		remove(ownDir + "/chat.md")
	}
	empty := func(name string) bool {
		entries, err := fs.ReadDir(root.FS(), name)
		return err == nil && len(entries) == 0
	}
	if plain(root, ownDir+"/plans/x") == nil && empty(ownDir+"/plans") {
		remove(ownDir + "/plans")
	}
	ignore := ownDir + "/.gitignore"
	if plain(root, ignore) != nil {
		return errors.Join(failed...)
	}
	entries, err := fs.ReadDir(root.FS(), ownDir)
	alone := err == nil && len(entries) == 1 && entries[0].Name() == ".gitignore"
	if text, err := root.ReadFile(ignore); alone && err == nil && string(text) == ownIgnore {
		remove(ignore)
	}
	if empty(ownDir) {
		remove(ownDir)
	}
	return errors.Join(failed...)
}

// previews lists the files in .redline/plans.
func previews(root *os.Root) []string {
	folder := ownDir + "/plans"
	if plain(root, folder+"/x") != nil {
		return nil
	}
	entries, err := fs.ReadDir(root.FS(), folder)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, path.Join(folder, e.Name()))
		}
	}
	slices.Sort(names)
	return names
}

func exists(root *os.Root, name string) bool {
	_, err := root.Lstat(name)
	return err == nil
}

// keepInState replaces a file in the state directory that only saves time. What cannot be written is
// missing.
func (o *Own) keepInState(name string, data []byte) {
	if os.MkdirAll(o.w.stateDir, 0o700) != nil {
		return
	}
	temp := filepath.Join(o.w.stateDir, leftover.Name(leftover.File))
	defer o.w.Leftovers().Note(temp)()
	if os.WriteFile(temp, data, 0o600) != nil || os.Rename(temp, filepath.Join(o.w.stateDir, name)) != nil {
		_ = os.Remove(temp)
	}
}

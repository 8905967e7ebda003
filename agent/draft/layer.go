package draft

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/blame"
	"redline/edits/patch"
	"redline/workspace"
)

// namer is a Reader that also knows about names on disk, like [workspace.Workspace]. With
// another Reader all names differ, and no file is a link.
type namer interface {
	SameFile(a, b string) bool
	IsLink(path string) bool
}

// limited is a Reader with a limit on the size of a file, in bytes, as [workspace.Workspace] has.
// The limit also holds for the draft's files. With another Reader the limit is 8 MiB.
type limited interface{ LimitOf(path string) int64 }

// limitOf returns the limit of a reader for a file.
func limitOf(w Reader, path string) int64 {
	if l, ok := w.(limited); ok {
		return l.LimitOf(path)
	}
	return 8 << 20
}

// layer is the files after the operations, over those of the workspace.
type layer struct {
	w     Reader
	bases map[string]base  // the files of the workspace when the draft first looked at them
	files map[string]*file // the results of the operations; only files that they concern
}

// base is a file of the workspace, as it was when the draft first looked at it.
type base struct {
	text   string
	exists bool
	mode   uint32 // permission bits
	bom    bool   // the text has a byte order mark before it
}

// file is the result of the operations at a path. It is replaced, never changed in
// place.
type file struct {
	exists     bool
	text       string
	origin     string      // the path whose base this file continues, "" for a file of the draft's own
	mode       uint32      // permission bits that an operation has named for a file of the draft's own, 0 for none
	bom        bool        // a file of the draft's own has a byte order mark before the text
	areas      blame.Areas // where it differs from that base, if it has an origin
	operations []int       // indices of the operations that made it, ascending
	movers     []int       // the operations among them that moved it here
	covered    []int       // the operations among them before it was last written as a whole
	kept       *kept       // set while it is as an earlier revision left it
}

// knower is a Reader that knows which files may have been meant by a path without a
// file, as [workspace.Workspace] does.
type knower interface {
	Alike(ctx context.Context, missing string, overlay workspace.Overlay) []string
}

// overlay implements [Draft.Overlay].
func (l *layer) overlay() workspace.Overlay {
	o := make(workspace.Overlay, len(l.files))
	for path, f := range l.files {
		o[path] = workspace.Overlaid{Text: f.text, Deleted: !f.exists}
	}
	return o
}

// look returns a file of the draft. The first look pins its base.
func (l *layer) look(path string) (*file, error) {
	if f, ok := l.files[path]; ok {
		return f, nil
	}
	b, ok := l.bases[path]
	if !ok {
		now, err := l.w.Read(path)
		if err != nil {
			return nil, err
		}
		if now.Buffer != nil { // only the file on disk was checked; an editor may show anything
			if err := l.editable(path, now.Text); err != nil {
				return nil, err
			}
		}
		if !now.Exists {
			now.Text = "" // an editor may show a line end
		}
		b = base{text: now.Text, exists: now.Exists, mode: uint32(now.Mode.Perm()), bom: now.BOM}
		l.bases[path] = b
	}
	return &file{exists: b.exists, text: b.text, origin: path}, nil
}

// existing does what look does, for a file that must exist.
func (l *layer) existing(path string) (*file, error) {
	f, err := l.look(path)
	if err == nil && !f.exists {
		err = refuse(path, "%s", l.missing(path)+"list the files, or create it with write_file")
	}
	return f, err
}

// vacant does what look does, for the target path of a file.
func (l *layer) vacant(path string) (*file, error) {
	f, err := l.look(path)
	if err != nil {
		return nil, err
	}
	for i, c := range path {
		if c == '/' {
			if above, ok := l.files[path[:i]]; ok && above.exists {
				return nil, refuse(path, "cannot be created: %s is a file", path[:i])
			}
		}
	}
	inside := path + "/"
	for other, below := range l.files {
		if below.exists && strings.HasPrefix(other, inside) {
			return nil, refuse(path, "is a folder; name a file in it")
		}
	}
	return f, nil
}

// fits refuses a text that is too large to be read back.
func (l *layer) fits(path string, size int) error {
	if limit := limitOf(l.w, path); int64(size) > limit {
		return refuse(path, "would have %d bytes, and a file may have %d at most (limits.max_file); write less, or several files", size, limit)
	}
	return nil
}

// holder is a Reader that knows in which charset a file is written, like [workspace.Workspace]. With
// another Reader all files are UTF-8.
type holder interface {
	Holds(from, path, text string) error
}

// holds refuses a text that the charset of the file at path does not have. from is where the file
// is in the workspace, "" for a new one; added are the parts of the text that are new.
func (l *layer) holds(from, path, text string, added ...edits.Edit) error {
	w, ok := l.w.(holder)
	if !ok || from == path && !edits.AddsCharacters(added) {
		return nil
	}
	if from == "" {
		from = path // it may have been deleted before
	}
	if !l.bases[from].exists {
		from = ""
	}
	return w.Holds(from, path, text)
}

// editable refuses a text of an editor that is too large or binary.
func (l *layer) editable(path, text string) error {
	limit := limitOf(l.w, path)
	switch {
	case int64(len(text)) > limit:
		return refuse(path, "has %d bytes in the editor, and at most %d of a file are read and edited (limits.max_file); continue without it", len(text), limit)
	case strings.IndexByte(text, 0) >= 0:
		return refuse(path, "holds a NUL byte in the editor, as binary files do; only text can be read and edited, so continue without it")
	}
	return nil
}

// missing implements [Draft.Missing].
func (l *layer) missing(path string) string {
	const gone = "does not exist; "
	names, ok := l.w.(knower)
	if !ok {
		return gone
	}
	switch like := names.Alike(context.Background(), path, l.overlay()); len(like) {
	case 0:
		return gone
	case 1:
		return fmt.Sprintf("%s%s does: use that path, or ", gone, like[0])
	default:
		last := len(like) - 1
		return fmt.Sprintf("%s%s and %s do: use one of these paths, or ", gone, strings.Join(like[:last], ", "), like[last])
	}
}

// respell clears newPath if it differs from path only in upper and lower case, because a file
// does not block its own move.
func (l *layer) respell(path, newPath string) {
	if n, ok := l.w.(namer); ok && l.files[newPath] == nil && n.SameFile(path, newPath) {
		l.bases[newPath] = base{}
	}
}

// mayLeave refuses to delete or move f if path is a symbolic link: its target would stay, which
// a reader of the plan does not see.
func (l *layer) mayLeave(path string, f *file) error {
	if n, ok := l.w.(namer); ok && f.origin == path && n.IsLink(path) {
		return refuse(path, "is a symbolic link, which is neither deleted nor moved; name the file that it leads to")
	}
	return nil
}

// now returns the file of a path in the draft, without reading the workspace.
func (l *layer) now(path string) (text string, exists, known bool) {
	if f, ok := l.files[path]; ok {
		return f.text, f.exists, true
	}
	b, ok := l.bases[path]
	return b.text, b.exists, ok
}

// pin makes the current file at path the base. It uses otherwise if the file cannot be read.
func (l *layer) pin(path string, otherwise base) {
	if _, err := l.look(path); err != nil {
		l.bases[path] = otherwise
	}
}

// wayBack returns a function that restores the current files of a patch.
func (l *layer) wayBack(files []patch.File) func() {
	before, pinned := maps.Clone(l.files), maps.Clone(l.bases)
	return func() {
		l.files = before
		for _, f := range files { // undoes respell
			if b, ok := pinned[f.NewPath]; ok {
				l.bases[f.NewPath] = b
			} else {
				delete(l.bases, f.NewPath)
			}
		}
	}
}

// target does what vacant does, for a path where no file may exist.
func (l *layer) target(path string) (*file, error) {
	f, err := l.vacant(path)
	if err == nil && f.exists {
		err = refuse(path, "exists already; change it with some of its text, or delete it in the same patch")
	}
	return f, err
}

// meantBy returns the files that may have been meant by a path without a file, except those that
// the draft changes already.
func (l *layer) meantBy(path string) []string {
	names, ok := l.w.(knower)
	if f, err := l.look(path); !ok || err == nil && f.exists {
		return nil
	}
	overlay := l.overlay()
	return slices.DeleteFunc(names.Alike(context.Background(), path, overlay), func(name string) bool {
		_, changed := overlay[name]
		return changed
	})
}

// sharedBase reports whether several files of the draft continue the file at path.
func (l *layer) sharedBase(path string) bool {
	n := 0
	for _, f := range l.files {
		if f.exists && f.origin == path {
			n++
		}
	}
	return n > 1
}

// File is a file in a draft.
type File struct {
	Exists bool
	Text   string // without a byte order mark
	BOM    bool   // the file has a byte order mark
	Mode   uint32 // permission bits; 0: the usual ones
}

// Files returns the files of the operations that differ from the workspace's, by path.
func (draft *Draft) Files() map[string]File {
	d, done := draft.open()
	defer done()
	files := make(map[string]File, len(d.files))
	for path, f := range d.files {
		b, looked := d.bases[path]
		if looked && b.exists == f.exists && (!f.exists || b.text == f.text) {
			continue
		}
		now := File{Exists: f.exists, Text: f.text, BOM: f.bom, Mode: f.mode}
		if from, ok := d.bases[f.origin]; ok && f.origin != "" {
			now.BOM, now.Mode = from.bom, from.mode
		}
		files[path] = now
	}
	return files
}

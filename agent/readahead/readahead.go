// Package readahead reads files before a lock is taken, for those who need them while they
// hold it: typing waits for the lock, and a disk may be slow.
package readahead

import (
	"errors"
	"strings"

	"redline/edits"
	"redline/workspace"
)

// Files has what was read of some files. What an editor shows of them counts as it is when
// [Files.Missing] is called; the disk counts as it was when it was read. It is for one
// goroutine.
type Files struct {
	ws    *workspace.Workspace
	seen  map[string]*seen
	pairs map[Paths]pair
}

// Paths are the names of one file: New is "" unless the file moves.
type Paths struct{ Old, New string }

// seen is one name of a file.
type seen struct {
	buffer *workspace.Buffer // nil: no editor shows it
	shown  bool              // an editor showed it when it was read: then the text of the disk was not

	file   workspace.File
	err    error
	onDisk workspace.OnDisk
}

// pair says how the disk takes two names that differ in case only.
type pair struct{ same, spelledOld, spelledNew bool }

// New returns Files of which nothing was read yet.
func New(ws *workspace.Workspace) *Files {
	return &Files{ws: ws, seen: map[string]*seen{}, pairs: map[Paths]pair{}}
}

// Missing returns those of the files that are still to be read, each once. It takes what
// editors show of the others now: call it while you hold the lock, and go on without
// giving it back if nothing is missing.
func (f *Files) Missing(files []Paths) (missing []Paths) {
	asked := map[Paths]bool{}
	for _, p := range files {
		if asked[p] {
			continue
		}
		asked[p] = true
		old, moved := f.take(p.Old), p.New == "" || f.take(p.New)
		if _, known := f.pairs[p]; !old || !moved || !known && alike(p) {
			missing = append(missing, p)
		}
	}
	return missing
}

// alike reports whether the two names may lead to one file.
func alike(p Paths) bool { return p.Old != p.New && strings.EqualFold(p.Old, p.New) }

// take takes what an editor shows of a name that was read, and reports whether what was
// read is enough.
func (f *Files) take(path string) bool {
	s := f.seen[path]
	if s == nil {
		return false
	}
	b, shown := f.ws.Buffer(path)
	if !shown {
		b = nil
	}
	s.buffer = b
	return shown == s.shown
}

// Read reads files. Do not call it while you hold a lock.
func (f *Files) Read(files []Paths) {
	for _, p := range files {
		f.read(p.Old)
		if p.New != "" {
			f.read(p.New)
		}
		if alike(p) {
			f.pairs[p] = pair{f.ws.SameFile(p.Old, p.New), f.ws.HasName(p.Old), f.ws.HasName(p.New)}
		}
	}
}

func (f *Files) read(path string) {
	s := &seen{}
	s.file, s.err = f.ws.Read(path)
	s.buffer, s.shown, s.onDisk = s.file.Buffer, s.file.Buffer != nil, s.file.OnDisk
	if s.err != nil { // then it says nothing of the disk, nor whether an editor shows it
		s.onDisk.Exists, s.onDisk.IsDir, s.onDisk.Err = f.ws.Stat(path)
		_, s.shown = f.ws.Buffer(path)
	}
	f.seen[path] = s
}

// errNotRead is the error of a file that was not among those to read.
var errNotRead = errors.New("it was not read")

// File returns the file as [workspace.Workspace.Read] does.
func (f *Files) File(path string) (workspace.File, error) {
	s := f.seen[path]
	if s == nil {
		return workspace.File{Path: path}, errNotRead
	}
	file := s.file
	if b := s.buffer; s.err == nil && b != nil {
		file.URI, file.Buffer, file.Text, file.BOM = b.URI, b, b.Lines.Text(), b.BOM
		file.Exists = !edits.Blank(file.Text) || s.onDisk.Exists || s.onDisk.Err != nil
	}
	return file, s.err
}

// Buffer returns what an editor shows of the file, as [workspace.Workspace.Buffer] does.
func (f *Files) Buffer(path string) (*workspace.Buffer, bool) {
	if s := f.seen[path]; s != nil && s.buffer != nil {
		return s.buffer, true
	}
	return nil, false
}

// Folders returns the workspace folders of now.
func (f *Files) Folders() []workspace.Folder { return f.ws.Folders() }

// Stat says what is on the disk, as [workspace.Workspace.Stat] does.
func (f *Files) Stat(path string) (exists, isDir bool, err error) {
	s := f.seen[path]
	if s == nil {
		return false, false, errNotRead
	}
	return s.onDisk.Exists, s.onDisk.IsDir, s.onDisk.Err
}

// SameFile reports whether the names of a file that moves lead to one file on the disk.
func (f *Files) SameFile(p Paths) bool { return f.pairs[p].same }

// Spelled reports which of the names of a file that moves the folders on the disk have.
// It is only known of names that differ in case only.
func (f *Files) Spelled(p Paths) (old, moved bool) {
	return f.pairs[p].spelledOld, f.pairs[p].spelledNew
}

// Package readahead reads files before a lock is taken, for code that needs them while it holds
// the lock: typing waits for the lock, and a disk may be slow.

package board

import (
	"errors"
	"strings"

	"redline/edits"
	"redline/workspace"
)

// ReadAhead has the contents of files that were read. For a file that an editor shows, it has the
// editor's text at the last call of [Files.Missing]; for others, the disk's at the time of
// reading. It is for one goroutine.
type ReadAhead struct {
	ws    *workspace.Workspace
	seen  map[string]*seen
	pairs map[Paths]pair
}

// Paths are the names of one file. New is "" unless the file moves.
type Paths struct{ Old, New string }

// seen is one name of a file.
type seen struct {
	buffer *workspace.Buffer // nil: no editor shows it
	shown  bool              // an editor showed it when it was read, so the disk's text was not read

	file   workspace.File
	err    error
	onDisk workspace.OnDisk
}

// pair says whether the disk distinguishes two names that differ only in case.
type pair struct{ same, spelledOld, spelledNew bool }

// NewReadAhead returns Files that have read nothing yet.
func NewReadAhead(ws *workspace.Workspace) *ReadAhead {
	return &ReadAhead{ws: ws, seen: map[string]*seen{}, pairs: map[Paths]pair{}}
}

// Missing returns the files that still must be read, each once. For the others it takes the
// current texts of editors. Call it while you hold the lock; if nothing is missing, continue
// without releasing it.
func (f *ReadAhead) Missing(files []Paths) (missing []Paths) {
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

// take takes an editor's text of a name that was read, and reports whether enough was read.
func (f *ReadAhead) take(path string) bool {
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
func (f *ReadAhead) Read(files []Paths) {
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

func (f *ReadAhead) read(path string) {
	s := &seen{}
	s.file, s.err = f.ws.Read(path)
	s.buffer, s.shown, s.onDisk = s.file.Buffer, s.file.Buffer != nil, s.file.OnDisk
	if s.err != nil { // then it says nothing about the disk, or whether an editor shows it
		s.onDisk.Exists, s.onDisk.IsDir, s.onDisk.Err = f.ws.Stat(path)
		_, s.shown = f.ws.Buffer(path)
	}
	f.seen[path] = s
}

// errNotRead means that the file was not among those to read.
var errNotRead = errors.New("it was not read")

// File returns the file as [workspace.Workspace.Read] does.
func (f *ReadAhead) File(path string) (workspace.File, error) {
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

// Buffer returns an editor's text of the file, as [workspace.Workspace.Buffer] does.
func (f *ReadAhead) Buffer(path string) (*workspace.Buffer, bool) {
	if s := f.seen[path]; s != nil && s.buffer != nil {
		return s.buffer, true
	}
	return nil, false
}

// Folders returns the current workspace folders.
func (f *ReadAhead) Folders() []workspace.Folder { return f.ws.Folders() }

// Stat describes the file on disk, as [workspace.Workspace.Stat] does.
func (f *ReadAhead) Stat(path string) (exists, isDir bool, err error) {
	s := f.seen[path]
	if s == nil {
		return false, false, errNotRead
	}
	return s.onDisk.Exists, s.onDisk.IsDir, s.onDisk.Err
}

// SameFile reports whether the names of a file that moves lead to one file on the disk.
func (f *ReadAhead) SameFile(p Paths) bool { return f.pairs[p].same }

// Spelled reports which of the two names of a moving file the folders on the disk have. It is
// known only for names that differ only in case.
func (f *ReadAhead) Spelled(p Paths) (old, moved bool) {
	return f.pairs[p].spelledOld, f.pairs[p].spelledNew
}

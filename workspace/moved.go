package workspace

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"

	"redline/edits"
)

// Lost is a file that is missing from its path.
type Lost struct {
	Path  string
	Was   Stamp    // from when it was there; the zero Stamp if unknown
	Texts []string // any of these may have been its text
}

// The limits of a search for lost files.
const (
	maxVisited = 20_000 // files, in each of the folders and in the workspace
	maxCompare = 256    // texts to read
)

// FindMoved finds where lost files are now. It searches the folder of each, then the
// workspace, among visible files and up to a limit. It returns the path of each, "" if none
// was found, or if several files have the text and none is the same file.
func (w *Workspace) FindMoved(ctx context.Context, lost []Lost) []string {
	found := make([]string, len(lost))
	var dirs []string
	for _, l := range lost {
		if dir := path.Dir(l.Path); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range append(dirs, ".") {
		s := &seeker{w: w, lost: lost, at: make([]place, len(lost))}
		for i, l := range lost {
			s.at[i].over = found[i] != "" || dir != "." && path.Dir(l.Path) != dir
		}
		s.seek(ctx, dir)
		for i, at := range s.at {
			if found[i] == "" && !at.several {
				found[i] = at.path
			}
		}
	}
	return found
}

// seeker searches one folder for lost files.
type seeker struct {
	w    *Workspace
	lost []Lost

	mu               sync.Mutex
	at               []place
	visited, compare int
}

// place is the likely new location of a lost file.
type place struct {
	path    string
	same    bool // it is the same file, not only the same text
	several bool // more than one has the text
	over    bool // it is not searched for
}

func (s *seeker) seek(ctx context.Context, dir string) {
	if !slices.ContainsFunc(s.at, func(p place) bool { return !p.over }) {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// An incomplete walk still counts for the files that it visited.
	_ = s.w.walk(ctx, dir, "", nil, func(e entry) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.visited++; s.visited > maxVisited {
			cancel()
			return
		}
		if info, err := e.dir.Lstat(e.rel); err == nil && info.Mode().IsRegular() {
			s.visit(e, info)
		}
	})
}

// visit checks whether a file is one of the lost ones. The caller holds s.mu.
func (s *seeker) visit(e entry, info fs.FileInfo) {
	var text *string // of the file, once it is needed
	for i, l := range s.lost {
		at := &s.at[i]
		switch {
		case at.over || at.same || e.path == l.Path:
		case l.isNow(info):
			*at = place{path: e.path, same: true}
		case s.hasText(l, e, info, &text):
			at.several = at.path != ""
			at.path = e.path
		}
	}
}

// isNow reports whether info describes the lost file under another name. A file system may
// reuse a file's identity for a new file, which has a time of its own.
func (l Lost) isNow(info fs.FileInfo) bool {
	return l.Was.info != nil && os.SameFile(l.Was.info, info) && l.Was.info.ModTime().Equal(info.ModTime())
}

// hasText reports whether a file has one of the texts of a lost one. Empty files never
// match.
func (s *seeker) hasText(l Lost, e entry, info fs.FileInfo, text **string) bool {
	size := func(t string) bool {
		return t != "" && (info.Size() == int64(len(t)) || info.Size() == int64(len(t)+len(edits.BOM)))
	}
	if !slices.ContainsFunc(l.Texts, size) {
		return false
	}
	if *text == nil {
		if s.compare++; s.compare > maxCompare {
			return false
		}
		data, _, err := readKnown(e.dir, e.path, e.rel, s.w.maxFile)
		if err != nil {
			return false
		}
		t, _ := edits.CutBOM(string(data))
		*text = &t
	}
	return slices.Contains(l.Texts, **text)
}

package workspace

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/text/unicode/norm"

	"redline/edits"
	"redline/internal/nearest"
)

// The limits of a search for files with a similar name.
const (
	maxAlike       = 5       // names to return
	maxAlikeWalked = 200_000 // files to look at; a larger workspace yields no names
)

// Alike returns the visible files (see [Workspace.List]) whose paths are most like missing,
// a path with no file: at most five, sorted, none of them secret. A file with the same name
// in another case or Unicode form is most alike, then one with the same name in another
// folder (below the folders of missing, if it has any), then one that differs only in its
// extension, then one whose name is spelt a little differently, both in the same folder
// first. More than five equally good matches yield none.
func (w *Workspace) Alike(ctx context.Context, missing string, overlay Overlay) []string {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var lock sync.Mutex
	var walked atomic.Int64
	found := map[string]likeness{}
	err := w.walk(ctx, ".", "", overlay, func(e entry) {
		if walked.Add(1) > maxAlikeWalked {
			cancel()
			return
		}
		if like := likenessOf(missing, e.path); like != unlike {
			lock.Lock()
			defer lock.Unlock()
			found[e.path] = like
		}
	})
	if err != nil || ctx.Err() != nil {
		return nil
	}
	best := unlike
	for _, like := range found {
		best = min(best, like)
	}
	var out []string
	for p, like := range found {
		if like == best && edits.VisibleLine(p) == p {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, cmp.Compare[string])
	if out = slices.DeleteFunc(out[:min(len(out), 4*maxAlike)], w.Secret); len(out) == 0 || len(out) > maxAlike {
		return nil // too many matches to be useful
	}
	return out
}

// likeness is how much the path of a file resembles a missing one; less is more alike.
type likeness int

const (
	sameButCase       likeness = iota // except for upper and lower case, and the Unicode form
	sameEnd                           // one of the two has more leading folders
	sameName                          // in another folder
	nameButCase                       // in another folder
	sameStem                          // in the same folder, with another extension
	stemElsewhere                     // in another folder, with another extension
	misspelt                          // in the same folder, with a letter or two changed
	misspeltElsewhere                 // in another folder
	unlike
)

// likenessOf returns how much the path there resembles the path missing.
func likenessOf(missing, there string) likeness {
	a, b := path.Base(missing), path.Base(there)
	x, y := foldedName(a), foldedName(b)
	stem := strings.TrimSuffix(x, path.Ext(x))
	switch {
	case x != y && (stem == "" || strings.TrimSuffix(y, path.Ext(y)) != stem):
		switch {
		case !near(stem, strings.TrimSuffix(y, path.Ext(y))) || path.Ext(x) != path.Ext(y):
			return unlike
		case path.Dir(missing) == path.Dir(there):
			return misspelt
		}
		return misspeltElsewhere
	case foldedName(missing) == foldedName(there):
		return sameButCase
	case a == b && (strings.HasSuffix(there, "/"+missing) || strings.HasSuffix(missing, "/"+there)):
		return sameEnd
	case a == b:
		return sameName
	case x == y:
		return nameButCase
	case path.Dir(missing) == path.Dir(there):
		return sameStem
	}
	return stemElsewhere
}

// near reports whether two names without their extensions differ by a letter, or by two if
// they are long.
func near(a, b string) bool {
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	most := 1
	if shorter >= 6 {
		most = 2
	}
	return shorter >= 4 && longer-shorter <= most && nearest.Within(a, b, most)
}

// AlikeFolders returns the folders that are most like missing, the path of a folder that does
// not exist: at most five, sorted, each with a visible file below it. A folder with the same
// name, in any case, elsewhere is most alike, then one whose name is spelt a little
// differently.
func (w *Workspace) AlikeFolders(ctx context.Context, missing string, overlay Overlay) []string {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var lock sync.Mutex
	folders := map[string]bool{}
	walked := 0
	err := w.walk(ctx, ".", "", overlay, func(e entry) {
		lock.Lock()
		defer lock.Unlock()
		if walked++; walked > maxAlikeWalked {
			cancel()
		}
		for dir := path.Dir(e.path); dir != "." && !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
		}
	})
	if err != nil || ctx.Err() != nil {
		return nil
	}
	wanted := foldedName(path.Base(missing))
	var same, misspelt []string
	for dir := range folders {
		switch name := foldedName(path.Base(dir)); {
		case edits.VisibleLine(dir) != dir:
		case name == wanted:
			same = append(same, dir)
		case near(wanted, name):
			misspelt = append(misspelt, dir)
		}
	}
	if len(same) == 0 {
		same = misspelt
	}
	if len(same) > maxAlike {
		return nil
	}
	slices.Sort(same)
	return same
}

// foldedName returns a name without the differences that some file systems ignore: case and
// Unicode form.
func foldedName(name string) string { return strings.ToLower(norm.NFC.String(name)) }

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
		data, _, err := readKnown(e.dir, e.path, e.rel, s.w.MaxTracked())
		if err != nil {
			return false
		}
		t, _ := edits.CutBOM(string(data))
		*text = &t
	}
	return slices.Contains(l.Texts, **text)
}

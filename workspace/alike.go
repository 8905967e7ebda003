package workspace

import (
	"cmp"
	"context"
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

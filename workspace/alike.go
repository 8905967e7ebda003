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
// extension, in the same folder first. More than five equally good matches yield none.
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
	sameButCase   likeness = iota // except for upper and lower case, and the Unicode form
	sameEnd                       // one of the two has more leading folders
	sameName                      // in another folder
	nameButCase                   // in another folder
	sameStem                      // in the same folder, with another extension
	stemElsewhere                 // in another folder, with another extension
	unlike
)

// likenessOf returns how much the path there resembles the path missing.
func likenessOf(missing, there string) likeness {
	a, b := path.Base(missing), path.Base(there)
	x, y := foldedName(a), foldedName(b)
	stem := strings.TrimSuffix(x, path.Ext(x))
	switch {
	case x != y && (stem == "" || strings.TrimSuffix(y, path.Ext(y)) != stem):
		return unlike
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

// foldedName returns a name without the differences that some file systems ignore: case and
// Unicode form.
func foldedName(name string) string { return strings.ToLower(norm.NFC.String(name)) }

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

// Limits of looking for files with a name that was meant.
const (
	maxAlike       = 5       // files that are named
	maxAlikeWalked = 200_000 // files that are looked at; in a workspace with more none is named
)

// Alike returns the visible files, see [Workspace.List], that a path at which there is
// none may have been meant for: only those that are most like it, at most five, in order.
// They have the same name in another case or form of its characters, then the same name in
// another folder (below the folders that the path names, if any is), then the same name
// but for its extension, in the same folder first. None that holds secrets is among them.
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
		return nil // the name says too little
	}
	return out
}

// likeness is how like the path of a file is to one at which there is none; less is more
// like it.
type likeness int

const (
	sameButCase   likeness = iota // but for upper and lower case, and how characters are composed
	sameEnd                       // one has leading folders that the other does not
	sameName                      // in another folder
	nameButCase                   // in another folder
	sameStem                      // in the same folder, with another extension
	stemElsewhere                 // in another folder, with another extension
	unlike
)

// likenessOf returns how like a file's path is to a missing one.
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

// foldedName returns a name without what of it differs between file systems: case, and
// how its characters are composed.
func foldedName(name string) string { return strings.ToLower(norm.NFC.String(name)) }

// Package summary describes plans in few words, for titles and messages: how large they are,
// what is undecided, and what a decision has done.
package summary

import (
	"fmt"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/internal/phrase"
)

// UndecidedFiles returns the files of a plan with something undecided.
func UndecidedFiles(p *view.Plan) []*view.File {
	var files []*view.File
	for _, f := range p.Files {
		if ExtentOf(f).Files > 0 {
			files = append(files, f)
		}
	}
	return files
}

// Extent is how much of a plan, or of some of its files, is undecided.
type Extent struct {
	Files          int
	added, removed int  // lines
	Stale          int  // hunks
	Pending        bool // something is undecided and not stale
	rest           *Extent
}

// Rest returns the extent without its stale hunks: what an approval does that leaves them out.
func (e Extent) Rest() Extent {
	if e.rest == nil {
		return Extent{}
	}
	return *e.rest
}

// String returns the extent for titles and messages: "3 files, +10 −4".
func (e Extent) String() string {
	return fmt.Sprintf("%s, +%d −%d", phrase.Count(e.Files, "file"), e.added, e.removed)
}

// ExtentOf returns how much of some files of a plan is undecided.
func ExtentOf(files ...*view.File) Extent {
	e, rest := Extent{}, Extent{}
	for _, f := range files {
		renamed := f.Change.Action == plan.Rename && f.Status == plan.FilePending
		waits, fresh := renamed, renamed
		for _, h := range f.Undecided {
			waits = true
			e.added, e.removed = e.added+h.Added, e.removed+h.Removed
			if h.Status == plan.HunkStale {
				e.Stale++
				continue
			}
			fresh = true
			rest.added, rest.removed = rest.added+h.Added, rest.removed+h.Removed
		}
		if waits {
			e.Files++
		}
		if fresh {
			rest.Files++
		}
	}
	e.Pending, rest.Pending = rest.Files > 0, rest.Files > 0
	e.rest = &rest
	return e
}

package lsp

import (
	"fmt"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/internal/phrase"
	"redline/lsp/diagnostics"
)

// undecidedFiles returns the files of a plan that have something undecided.
func undecidedFiles(p *view.Plan) []*view.File {
	var files []*view.File
	for _, f := range p.Files {
		if extentOf(f).files > 0 {
			files = append(files, f)
		}
	}
	return files
}

// extent says how much of a plan, or of some of its files, is undecided.
type extent struct {
	files          int
	added, removed int  // lines
	stale          int  // hunks
	pending        bool // something is undecided and not stale
}

// String returns the extent for titles and messages: "3 files, +10 −4".
func (e extent) String() string {
	return fmt.Sprintf("%s, +%d −%d", phrase.Count(e.files, "file"), e.added, e.removed)
}

// extentOf returns how much of some files of a plan is undecided.
func extentOf(files ...*view.File) extent {
	var e extent
	for _, f := range files {
		waits := f.Change.Action == plan.Rename && f.Status == plan.FilePending
		e.pending = e.pending || waits
		for i := range f.Len() {
			h := f.Hunk(i)
			if !diagnostics.Staged(h) {
				continue
			}
			waits = true
			e.added, e.removed = e.added+h.Added, e.removed+h.Removed
			if h.Status == plan.HunkStale {
				e.stale++
			} else {
				e.pending = true
			}
		}
		if waits {
			e.files++
		}
	}
	return e
}

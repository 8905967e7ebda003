// Package summary describes plans in few words, for titles and messages: how large they are,
// what is undecided, and what a decision has done.
package summary

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace"
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

// Unsaved returns a sentence, after a space, that names the files among paths that the user still
// has to save; "" if there are none. Two kinds of buffers count as saved although the editor
// marks them: one with the text of its file, and a blank one whose file is gone because its
// creation was undone.
func Unsaved(w *workspace.Workspace, paths []string) string {
	var names []string
	for _, path := range paths {
		b, ok := w.Buffer(path)
		if !ok || !b.Dirty || slices.Contains(names, path) || w.AsOnDisk(b) {
			continue
		}
		if exists, _, err := w.Stat(path); err == nil && !exists && edits.Blank(b.Lines.Text()) {
			continue
		}
		names = append(names, path)
	}
	if len(names) == 0 {
		return ""
	}
	return " Not saved yet: " + strings.Join(names, ", ") + "."
}

// Paths returns the current paths of the files of plans.
func Paths(plans ...*view.Plan) []string {
	var paths []string
	for _, p := range plans {
		for _, f := range p.Files {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

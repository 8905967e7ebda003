package summary

import (
	"slices"
	"strings"

	"redline/agent/view"
	"redline/edits"
	"redline/workspace"
)

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

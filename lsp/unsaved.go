package lsp

import (
	"slices"
	"strings"

	"redline/edits"
	"redline/workspace"
)

// unsaved returns a sentence with the files among paths that the user has still to save,
// to follow another; "" for none. A buffer with the text of
// its file has nothing to save, also where the editor still marks it, and neither
// has one without a text where there is no file: that was taken back.
func unsaved(w *workspace.Workspace, paths []string) string {
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

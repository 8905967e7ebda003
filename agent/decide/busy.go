package decide

import (
	"slices"

	"redline/agent/refusal"
	"redline/internal/phrase"
)

// busyElsewhere refuses a decision that would change a file with unsaved changes in another
// editor: its user sees another text than the disk has, and whoever saves last would win.
//
// A user can begin to type in another editor after this check: see presence.Guard.
func (ds *Decisions) busyElsewhere(x *checked) error {
	elsewhere := ds.presence.Elsewhere()
	page := ds.ws.Own().Path(x.held.PreviewName()) // another may have written it
	var paths []string
	for _, c := range x.changes {
		paths = append(paths, c.Path, c.NewPath)
	}
	for _, p := range x.Made { // as the disk has it: the other editor may not
		paths = append(paths, p.File.Path)
	}
	if by := elsewhere(page); by != "" {
		return refusal.New(refusal.UnsavedPreview, "The preview of plan %d has unsaved changes in another editor (%s): save or undo them there, or decide there.", x.held.Number(), by)
	}
	by := ""
	var files []string
	for _, path := range paths {
		if one := elsewhere(path); one != "" && (by == "" || by == one) && !slices.Contains(files, path) {
			by, files = one, append(files, path)
		}
	}
	switch len(files) {
	case 0:
		return nil
	case 1:
		return refusal.New(refusal.Busy, "%s has unsaved changes in another editor (%s): save it there, or decide there.", files[0], by)
	}
	return refusal.New(refusal.Busy, "%s have unsaved changes in another editor (%s): save them there, or decide there.", phrase.And(phrase.FirstOf(files, 5, "file")), by)
}

package decide

import (
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/workspace"
)

// noteFolders records in p the folders that a creation or a move has to make, and those above
// it that another file of the plan has made: an undo removes them if they are empty.
func noteFolders(ws *workspace.Workspace, p *plan.Plan, r *plan.Revision, c edits.Change) {
	path := c.Path
	switch c.Kind {
	case edits.Rename:
		path = c.NewPath
	case edits.Create:
	default:
		return
	}
	folders := ws.MissingFolders(path)
	for _, m := range p.Progress.Files {
		for _, folder := range m.Folders {
			if strings.HasPrefix(path, folder+"/") && !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
		}
	}
	p.Progress.MarkFolders(r.Number, c.Path, innermostFirst(folders))
}

// shareFolders gives each of the changes that removes a file the folders of all of them: which
// change empties a folder depends on the order.
func shareFolders(changes []edits.Change) {
	var all []string
	for _, c := range changes {
		all = append(all, c.Folders...)
	}
	if all = innermostFirst(all); len(all) == 0 {
		return
	}
	for i := range changes {
		if k := changes[i].Kind; k == edits.Delete || k == edits.Rename {
			changes[i].Folders = all
		}
	}
}

// innermostFirst sorts folders, the deepest first, and removes duplicates.
func innermostFirst(folders []string) []string {
	slices.SortFunc(folders, func(a, b string) int {
		if d := strings.Count(b, "/") - strings.Count(a, "/"); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(folders)
}

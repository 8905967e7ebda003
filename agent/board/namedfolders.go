package board

import (
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/workspace"
)

// namedFolders returns the directory for each first part of a path, if the workspace has several
// folders, else nil.
func namedFolders(folders []workspace.Folder) map[string]string {
	if len(folders) < 2 {
		return nil
	}
	named := map[string]string{}
	for _, f := range folders {
		named[f.Name] = f.Dir
	}
	return named
}

// namesAnother says why a path of a plan names another file now than when the plan was made, "" if
// it does not: with another set of folders, app/a.txt in the folder app could be app/app/a.txt,
// and a creation would go there.
func namesAnother(folders []workspace.Folder, p *plan.Plan, path string) string {
	was, is := p.Progress.Folders, namedFolders(folders)
	first, _, _ := strings.Cut(path, "/")
	switch {
	case was == nil && is == nil:
		return ""
	case was == nil: // Read says what is missing, unless a folder has that name by chance
		if _, by := is[first]; !by {
			return ""
		}
		return fmt.Sprintf("plan %d was made when the workspace had one folder: open that alone to decide on it", p.Number)
	case is[first] != was[first] || is == nil:
		return fmt.Sprintf("plan %d was made with the workspace folder %s, which is %s: open the same folders again to decide on it", p.Number, first, was[first])
	}
	return ""
}

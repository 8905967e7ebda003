package trial

import (
	"path/filepath"
	"slices"

	"github.com/bmatcuk/doublestar/v4"

	"redline/workspace"
)

// withoutShown returns the hidden names without those that the user's setting trials.show names: a
// key that tests need. What is off limits stays hidden.
func (t *Trials) withoutShown(names []string) []string {
	if len(t.options.Show) == 0 {
		return names
	}
	return slices.DeleteFunc(names, func(name string) bool {
		path, inside := t.pathOf(name)
		return inside && t.shown(path)
	})
}

// shown reports whether trials.show names a file of the workspace.
func (t *Trials) shown(path string) bool {
	return t.ws.OffLimits(path) == nil && slices.ContainsFunc(t.options.Show, func(glob string) bool {
		ok, err := doublestar.Match(glob, path)
		return err == nil && ok
	})
}

// pathOf returns the workspace path of a file by its absolute name without links.
func (t *Trials) pathOf(name string) (path string, inside bool) {
	folders := t.ws.Folders()
	for _, f := range folders {
		dir, _ := workspace.OwnerOf(f.Dir)
		rel, err := filepath.Rel(dir, name)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if len(folders) > 1 {
			rel = filepath.Join(f.Name, rel)
		}
		return filepath.ToSlash(rel), true
	}
	return "", false
}

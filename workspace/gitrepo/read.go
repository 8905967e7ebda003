package gitrepo

import "path/filepath"

// Dirs returns the folder with the worktree's own files (HEAD, the index) and the folder
// that all worktrees share (objects, refs, settings), as absolute paths. Often they are
// the same.
func (r Repository) Dirs() (own, common string) { return r.dir, r.common }

// Values returns the settings of one section without a subsection, by key in lower case,
// as far as they can be read. It does not follow includes. A key without a value is
// "true".
func (r Repository) Values(section string) map[string]string {
	values := map[string]string{}
	for _, name := range r.settingsFiles() {
		for _, e := range readFile(name) {
			if e.section != section || e.sub != "" {
				continue
			}
			values[e.key] = e.value
			if e.implicit {
				values[e.key] = "true"
			}
		}
	}
	return values
}

// settingsFiles returns the paths of the repository's settings, those that count more later.
func (r Repository) settingsFiles() []string {
	files := []string{filepath.Join(r.common, "config")}
	for _, e := range readFile(files[0]) {
		if e.is("extensions", "worktreeconfig") && (e.implicit || e.value == "true") {
			return append(files, filepath.Join(r.dir, "config.worktree"))
		}
	}
	return files
}

// Package gitrepo finds what the commands of a trial need from Git: the repository of a
// workspace folder if that is elsewhere, and settings without credentials. It runs no
// program.
package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
)

// Repository is the repository of a folder.
type Repository struct {
	dir    string // .git itself, or the folder that the file .git names
	common string // the folder shared by all worktrees of the repository; often dir
}

// maxPointer is the size limit for files that name a folder, in bytes.
const maxPointer = 64 << 10

// Of returns the repository of the worktree whose root is dir, an absolute path. It
// returns false if there is none, and also if .git names a repository that does not name
// this worktree: otherwise whoever created the folder could give its commands access to
// any repository of the user.
func Of(dir string) (Repository, bool) {
	at := filepath.Join(dir, ".git")
	info, err := os.Lstat(at)
	switch {
	case err != nil:
		return Repository{}, false
	case info.IsDir():
		return Repository{at, at}, true
	case !info.Mode().IsRegular():
		return Repository{}, false
	}
	named, ok := strings.CutPrefix(pointer(at), "gitdir: ")
	if !ok {
		return Repository{}, false
	}
	r := Repository{dir: absolute(dir, named)}
	r.common = r.dir
	if common := pointer(filepath.Join(r.dir, "commondir")); common != "" {
		r.common = absolute(r.dir, common)
	}
	if !isRepository(r.common) || !r.names(dir) {
		return Repository{}, false
	}
	return r, true
}

// pointer returns the path in a file that contains nothing else, "" if there is none.
func pointer(name string) string {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxPointer {
		return ""
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(text), "\r\n")
}

// absolute resolves a path that may be relative to dir.
func absolute(dir, name string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return filepath.Clean(name)
}

// isRepository reports whether Git would accept a folder as a repository.
func isRepository(dir string) bool {
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	_, err := os.Lstat(filepath.Join(dir, "HEAD"))
	return err == nil
}

// names reports whether the repository names a folder as its worktree: in the file gitdir
// of a linked worktree, or in the setting core.worktree of a submodule.
func (r Repository) names(worktree string) bool {
	var named string
	if r.dir != r.common {
		if filepath.Dir(r.dir) != filepath.Join(r.common, "worktrees") {
			return false // it is outside the repository that it names
		}
		named = strings.TrimSuffix(absolute(r.dir, pointer(filepath.Join(r.dir, "gitdir"))), "/.git")
	} else {
		for _, e := range readFile(filepath.Join(r.dir, "config")) {
			if e.is("core", "worktree") {
				named = absolute(r.dir, e.value)
			}
		}
	}
	a, err := os.Stat(named)
	b, err2 := os.Stat(worktree)
	return named != "" && err == nil && err2 == nil && os.SameFile(a, b)
}

// Folders returns the absolute paths of the one or two folders that contain the
// repository.
func (r Repository) Folders() []string {
	if rel, err := filepath.Rel(r.common, r.dir); err == nil && filepath.IsLocal(rel) {
		return []string{r.common}
	}
	return []string{r.common, r.dir}
}

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

// Branch returns the name of the current branch; "" if there is none, or if finding it
// needs Git.
func (r Repository) Branch() string {
	name := filepath.Join(r.dir, "HEAD")
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxPointer {
		return ""
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	branch, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "ref: refs/heads/")
	if !ok || branch == ".invalid" { // HEAD contains this if the refs are in tables (reftable)
		return ""
	}
	return branch
}

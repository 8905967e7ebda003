package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	"redline/internal/smallfile"
	"redline/workspace/gitrepo"
)

// repository is a Git repository in or above a workspace folder, for one walk: what it ignores
// besides .gitignore files, and what it tracks all the same. The zero value is no repository.
type repository struct {
	personal []pattern // of the user's file, see gitrepo.Repository.IgnoreFile
	exclude  []pattern // .git/info/exclude
	tracked  func() []string
	complete bool // it has a HEAD: git looks for no other repository above it
	fold     bool // upper and lower case are the same in its patterns
}

// newRepository returns the repository whose worktree has its root at dir, an absolute path. ok is
// false if there is none.
func (r *root) newRepository(dir string) (p repository, ok bool) {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return p, false
	}
	found, ok := gitrepo.Of(dir)
	if !ok {
		return p, false
	}
	home, _ := os.UserHomeDir()
	own, _ := found.Dirs()
	_, err := os.Lstat(filepath.Join(own, "HEAD"))
	p.complete, p.fold = err == nil, found.FoldsCase()
	if name := found.IgnoreFile(home, dir); name != "" {
		p.personal = patternsOf(name, p.fold)
	}
	p.exclude = patternsOf(found.ExcludeFile(), p.fold)
	p.tracked = sync.OnceValue(func() []string { return r.index.names(found) })
	return p, true
}

// patternsOf reads a file of rules outside the workspace folders.
func patternsOf(name string, fold bool) []pattern {
	text, err := smallfile.Read(name, maxRules)
	if err != nil || len(text) > maxRules {
		return nil
	}
	return parsePatterns(text, fold)
}

// ignores reports whether the repository's own rules and the user's ignore rel, a name relative to
// its root.
func (p *repository) ignores(rel string, isDir bool) bool {
	if ignored, found := decide(p.exclude, rel, isDir); found {
		return ignored
	}
	ignored, _ := decide(p.personal, rel, isDir)
	return ignored
}

// tracks reports whether Git tracks the file rel, or something in the folder rel.
func (p *repository) tracks(rel string, isDir bool) bool {
	if p.tracked == nil {
		return false
	}
	names := p.tracked()
	has := func(name string, whole bool) bool {
		i := sort.SearchStrings(names, name)
		return i < len(names) && (names[i] == name || !whole && strings.HasPrefix(names[i], name))
	}
	return has(rel, true) || isDir && has(rel+"/", false)
}

// indexes keeps the names in the indexes of repositories while these do not change. It may be used
// from several goroutines.
type indexes struct {
	mu    sync.Mutex
	known map[string]index // by the path of the file
}

type index struct {
	info  fs.FileInfo
	taken time.Time
	names []string
}

// maxIndexes is how many indexes are kept.
const maxIndexes = 100

// names returns the names in the index of a repository, none if it cannot be read.
func (s *indexes) names(r gitrepo.Repository) []string {
	path := r.IndexFile()
	info, err := os.Lstat(path)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.known[path]; ok && sameIndex(old, info) {
		return old.names
	}
	taken := time.Now()
	names, err := r.Tracked()
	if err != nil {
		return nil
	}
	if s.known == nil || len(s.known) >= maxIndexes {
		s.known = map[string]index{}
	}
	s.known[path] = index{info, taken, names}
	return names
}

// sameIndex reports whether an index is as it was when it was read. One that was read just after
// it was written may have been written again with the same time.
func sameIndex(old index, now fs.FileInfo) bool {
	return os.SameFile(old.info, now) && old.info.Size() == now.Size() && old.info.ModTime().Equal(now.ModTime()) &&
		old.taken.Sub(now.ModTime()).Abs() >= sameTime
}

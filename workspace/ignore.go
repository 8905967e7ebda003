package workspace

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"redline/workspace/secrets"
)

// maxRules is the size in bytes above which a file of ignore rules is not read.
const maxRules = 1 << 20

// rules are the ignore rules of one workspace folder, read on demand and kept for one walk:
// .gitignore in every folder, also in those above the workspace folder up to the root of
// the git repository, and .git/info/exclude. .redline/ignore additionally names secrets.
type rules struct {
	root    *root
	above   []ruleFile // from the repository's root down to the folder's parent
	secrets []pattern  // .redline/ignore
	dirs    sync.Map   // folder, relative to root → []pattern
}

// ruleFile is a file of rules outside the workspace folder.
type ruleFile struct {
	prefix   string // from the file's folder to the workspace folder, with a slash at the end
	patterns []pattern
}

func newRules(r *root) *rules {
	s := &rules{root: r, secrets: r.patterns(ownDir + "/ignore")}
	top := r.realDir()
	for {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			break
		}
		if top == filepath.Dir(top) {
			return s // not in a repository
		}
		top = filepath.Dir(top)
	}
	prefix := ""
	if rel, _ := filepath.Rel(top, r.realDir()); rel != "." {
		prefix = filepath.ToSlash(rel) + "/"
	}
	git := &root{Folder: Folder{Dir: top}}
	s.above = append(s.above, ruleFile{prefix, git.patterns(".git/info/exclude")})
	for at := ""; prefix != ""; {
		s.above = append(s.above, ruleFile{prefix, git.patterns(path.Join(at, ".gitignore"))})
		var part string
		part, prefix, _ = strings.Cut(prefix, "/")
		at = path.Join(at, part)
	}
	return s
}

// patterns reads the rules file rel. A missing, irregular or too large file has none.
func (r *root) patterns(rel string) []pattern {
	data, _, err := r.readRegular(rel, rel, maxRules)
	if err != nil {
		return nil
	}
	return parsePatterns(string(data))
}

// in returns the patterns of the .gitignore in folder dir.
func (s *rules) in(dir string) []pattern {
	if known, ok := s.dirs.Load(dir); ok {
		return known.([]pattern)
	}
	patterns := s.root.patterns(path.Join(dir, ".gitignore"))
	s.dirs.Store(dir, patterns)
	return patterns
}

// hides reports whether lists and searches leave out rel itself: it is ignored, secret or
// internal. It assumes that the folders above rel are visible.
func (s *rules) hides(rel string, isDir bool) bool {
	return s.withholds(rel, isDir) || s.ignores(rel, isDir)
}

// withholds reports whether rel itself is secret or internal, so that not even its name is
// shown.
func (s *rules) withholds(rel string, isDir bool) bool {
	if inGit(rel) != "" || inOwn(rel) || secrets.Name(rel, isDir) {
		return true
	}
	secret, _ := decide(s.secrets, rel, isDir)
	return secret
}

// ignores reports whether git ignores rel itself.
func (s *rules) ignores(rel string, isDir bool) bool {
	for dir := path.Dir(rel); ; dir = path.Dir(dir) {
		inDir := rel
		if dir != "." {
			inDir = rel[len(dir)+1:]
		}
		if ignored, found := decide(s.in(dir), inDir, isDir); found {
			return ignored
		}
		if dir == "." {
			break
		}
	}
	for i := len(s.above) - 1; i >= 0; i-- {
		if ignored, found := decide(s.above[i].patterns, s.above[i].prefix+rel, isDir); found {
			return ignored
		}
	}
	return false
}

// hidesPath is hides for a file whose parent folders were not checked.
func (s *rules) hidesPath(rel string) bool {
	for i := range len(rel) {
		if rel[i] == '/' && s.hides(rel[:i], true) {
			return true
		}
	}
	return s.hides(rel, false)
}

package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	"redline/internal/smallfile"
	"redline/workspace/gitrepo"
	"redline/workspace/secrets"
)

// maxRules is the size in bytes above which a file of ignore rules is not read.
const maxRules = 1 << 20

// rules are the ignore rules of one workspace folder, read on demand and kept for one walk:
// .gitignore in every folder, also in those above the workspace folder up to the root of
// the git repository, .git/info/exclude, and the user's own file of them. What git tracks is not
// ignored. In a repository within the folder only its own rules and the user's count, as for git.
// .redline/ignore additionally names secrets.
type rules struct {
	root    *root
	above   []ruleFile // from the repository's root down to the folder's parent
	own     repository // that holds the workspace folder
	prefix  string     // from the root of that repository to the workspace folder, with a slash at the end
	off     bool       // git's rules do not count
	fold    bool       // upper and lower case are the same in its patterns
	secrets []pattern  // .redline/ignore
	dirs    sync.Map   // folder, relative to root → *folderRules
	fixed   bool       // of folders that are not in dirs, no rules count

	partly  sync.Map // the ignored folders that are walked since git tracks something in them
	anyPart atomic.Bool
}

// ruleFile is a file of rules outside the workspace folder.
type ruleFile struct {
	prefix   string // from the file's folder to the workspace folder, with a slash at the end
	patterns []pattern
}

// folderRules are the rules of one folder.
type folderRules struct {
	patterns []pattern   // of its .gitignore
	nested   *repository // of which it is the root; nil for none, and for the workspace folder
}

func newRules(r *root) *rules {
	s := &rules{root: r, secrets: r.named()}
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
	if rel, _ := filepath.Rel(top, r.realDir()); rel != "." {
		s.prefix = filepath.ToSlash(rel) + "/"
	}
	s.own, _ = r.newRepository(top)
	s.fold = s.own.fold
	git := &root{Folder: Folder{Dir: top}}
	for at, prefix := "", s.prefix; prefix != ""; {
		s.above = append(s.above, ruleFile{prefix, git.patterns(path.Join(at, ".gitignore"), s.fold)})
		var part string
		part, prefix, _ = strings.Cut(prefix, "/")
		at = path.Join(at, part)
	}
	return s
}

// patterns reads the rules file rel. A missing, irregular or too large file has none.
func (r *root) patterns(rel string, fold bool) []pattern {
	data, _, err := r.readRegular(rel, rel, maxRules)
	if err != nil {
		return nil
	}
	return parsePatterns(string(data), fold)
}

// in returns the rules of folder dir.
func (s *rules) in(dir string) *folderRules {
	if known, ok := s.dirs.Load(dir); ok {
		return known.(*folderRules)
	}
	if s.fixed {
		return &folderRules{}
	}
	f := &folderRules{patterns: s.root.patterns(path.Join(dir, ".gitignore"), s.fold)}
	if dir != "." {
		if nested, ok := s.root.newRepository(filepath.Join(s.root.realDir(), filepath.FromSlash(dir))); ok && nested.complete {
			f.nested = &nested
		}
	}
	known, _ := s.dirs.LoadOrStore(dir, f)
	return known.(*folderRules)
}

// enter prepares for files in folder dir: hides assumes that it was asked for the folders above.
func (s *rules) enter(dir string) {
	for i := 0; dir != "." && i <= len(dir); i++ {
		if i == len(dir) || dir[i] == '/' {
			s.hides(dir[:i], true)
		}
	}
}

// hides reports whether lists and searches leave out rel itself: it is ignored, secret or
// internal. It assumes that the folders above rel are visible, and were asked for before.
func (s *rules) hides(rel string, isDir bool) bool {
	if s.withholds(rel, isDir) {
		return true
	}
	ignored := s.ignores(rel, isDir)
	if !ignored && s.anyPart.Load() {
		_, ignored = s.partly.Load(path.Dir(rel))
	}
	if !ignored {
		return false
	}
	if !s.tracks(rel, isDir) {
		return true
	}
	if isDir && s.in(rel).nested == nil {
		s.partly.Store(rel, true)
		s.anyPart.Store(true)
	}
	return false
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

// ignores reports whether patterns match rel itself.
func (s *rules) ignores(rel string, isDir bool) bool {
	if s.off {
		return false
	}
	for dir := path.Dir(rel); ; dir = path.Dir(dir) {
		in, name := s.in(dir), within(dir, rel)
		if ignored, found := decide(in.patterns, name, isDir); found {
			return ignored
		}
		if in.nested != nil {
			return in.nested.ignores(name, isDir)
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
	return s.own.ignores(s.prefix+rel, isDir)
}

// tracks reports whether git tracks rel, or something in the folder rel.
func (s *rules) tracks(rel string, isDir bool) bool {
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if in := s.in(dir); in.nested != nil {
			return in.nested.tracks(within(dir, rel), isDir)
		}
	}
	return s.own.tracks(s.prefix+rel, isDir)
}

// within returns rel, a name in or below folder dir, relative to it.
func within(dir, rel string) string {
	if dir == "." {
		return rel
	}
	return rel[len(dir)+1:]
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

// namedFile is the user's list of files that hold secrets, in each folder of the workspace.
const namedFile = ownDir + "/ignore"

// everything are patterns that name every file.
var everything = parsePatterns("*", false)

// named returns the patterns of .redline/ignore. If the file is there and cannot be read, nobody
// knows what it names: then they name everything.
func (r *root) named() []pattern {
	patterns, err := r.readNamed()
	if err != nil {
		return everything
	}
	return patterns
}

// readNamed returns the patterns of .redline/ignore, none if there is no such file. The error says
// why it cannot be read, after the name of the file.
func (r *root) readNamed() ([]pattern, error) {
	dir, err := r.open()
	if err != nil {
		return nil, nil // there are no files either
	}
	info, err := dir.Lstat(namedFile)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, nil
	case err != nil:
		return nil, unreadable(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, errors.New("is a link")
	case !info.Mode().IsRegular():
		return nil, errors.New("is no ordinary file")
	case info.Size() > maxRules:
		return nil, fmt.Errorf("has more than %d MiB", maxRules>>20)
	}
	data, _, err := readKnown(dir, namedFile, namedFile, maxRules)
	switch {
	case errors.Is(err, fs.ErrNotExist): // removed meanwhile
		return nil, nil
	case err != nil:
		return nil, unreadable(err)
	case isUTF16(data):
		return nil, errors.New("is UTF-16 text")
	case !utf8.Valid(data):
		return nil, errors.New("is not UTF-8 text")
	}
	return parsePatterns(string(data), false), nil
}

func unreadable(err error) error { return fmt.Errorf("cannot be read (%w)", cause(err)) }

// HidesAll returns why all files of a folder of the workspace count as secret, as a sentence for the
// user without its full stop; nil if none has a .redline/ignore that cannot be read.
func (w *Workspace) HidesAll() error {
	roots := w.allRoots()
	for _, r := range roots {
		_, err := r.readNamed()
		if err == nil {
			continue
		}
		name := namedFile
		if len(roots) > 1 {
			name = r.Name + "/" + name
		}
		return fmt.Errorf("%s %w, so nobody knows which files it names, and all count as secret: make it an ordinary file of UTF-8 text of at most %d MiB, or remove it", name, err, maxRules>>20)
	}
	return nil
}

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

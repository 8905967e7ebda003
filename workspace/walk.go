package workspace

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/charlievieth/fastwalk"
)

// Overlay is a draft laid over the workspace, by path: its files replace the buffer and the
// disk.
type Overlay map[string]Overlaid

// Overlaid is one file of an overlay: its text, or its deletion.
type Overlaid struct {
	Text    string
	Deleted bool
}

// entry is a visible file found by a walk.
type entry struct {
	path string
	dir  *os.Root
	rel  string // in dir
	live *live  // replaces the disk, or nil
}

// live is the state of a file in the draft or, without one, in the editor.
type live struct {
	drafted *Overlaid // nil: buffer counts
	buffer  *Buffer
	met     bool // the walk found it on disk; guarded by walk's lock
}

func (l *live) deleted() bool { return l.drafted != nil && l.drafted.Deleted }

func (l *live) text() string {
	if l.drafted != nil {
		return l.drafted.Text
	}
	return l.buffer.Lines.Text()
}

// walk calls visit once for every visible file below dir that glob matches, from several
// goroutines at a time. Visible are regular files that are not ignored, secret, or in .git
// or .redline; open documents that are not on disk yet; and files that overlay adds.
// Symbolic links are not visible.
func (w *Workspace) walk(ctx context.Context, dir, glob string, overlay Overlay, visit func(entry)) error {
	return w.walkAll(ctx, dir, glob, overlay, false, visit)
}

// walkAll is walk. With ignored set, files that git ignores are visible too.
func (w *Workspace) walkAll(ctx context.Context, dir, glob string, overlay Overlay, ignored bool, visit func(entry)) error {
	dir = cmp.Or(dir, ".")
	match, err := globMatcher(dir, glob)
	if err != nil {
		return err
	}
	lives := w.lives(dir, overlay)
	trees, err := w.trees(dir, len(lives) > 0)
	if err != nil {
		return err
	}
	var lock sync.Mutex
	for _, t := range trees {
		rules := newRules(t.root)
		rules.off = ignored
		handle, err := t.root.open()
		if err != nil {
			return err
		}
		err = t.walk(ctx, rules, func(rel string) {
			e := entry{path: t.prefix + rel, dir: handle, rel: rel, live: lives[t.prefix+rel]}
			if e.live != nil {
				lock.Lock()
				e.live.met = true
				lock.Unlock()
			}
			if match(e.path, rel) && (e.live == nil || !e.live.deleted()) {
				visit(e)
			}
		})
		if err != nil {
			return err
		}
		for p, l := range lives {
			rel, ok := strings.CutPrefix(p, t.prefix)
			if !ok || l.met || l.deleted() || !match(p, rel) {
				continue
			}
			if l.drafted != nil || !rules.hidesPath(rel) {
				visit(entry{path: p, dir: handle, rel: rel, live: l})
			}
		}
	}
	return nil
}

// lives returns the files below dir that replace those on disk.
func (w *Workspace) lives(dir string, overlay Overlay) map[string]*live {
	lives := map[string]*live{}
	for _, b := range w.Buffers() {
		if b.Path != "" && below(dir, b.Path) && w.offLimitsAt(b.Path, lookAgain) == nil {
			lives[b.Path] = &live{buffer: b}
		}
	}
	for p, o := range overlay {
		if below(dir, p) {
			lives[p] = &live{drafted: &o}
		}
	}
	return lives
}

// below reports whether path is in the folder dir, at any depth.
func below(dir, path string) bool {
	return dir == "." || strings.HasPrefix(path, dir+"/")
}

// tree is a folder to walk: rel in root.
type tree struct {
	root   *root
	prefix string          // of the paths of the root's files
	rel    string          // "" when there is nothing on disk
	skip   map[string]bool // absolute names of folders that have a walk of their own
	off    *limits         // never visited
}

// trees returns the trees to walk for dir. A folder that is not on disk is a refusal unless
// virtual says that it has files all the same.
func (w *Workspace) trees(dir string, virtual bool) ([]tree, error) {
	roots := w.allRoots()
	skip := map[string]bool{}
	for _, r := range roots {
		skip[r.realDir()] = true
	}
	off := w.offLimits.now(0)
	prefixOf := func(r *root) string {
		if len(roots) > 1 {
			return r.Name + "/"
		}
		return ""
	}
	if dir == "." && len(roots) > 0 {
		var trees []tree
		var err error
		for _, r := range roots {
			if _, e := r.open(); e != nil {
				err = e
				continue
			}
			trees = append(trees, tree{r, prefixOf(r), ".", skip, off.in(r.realDir())})
		}
		if len(trees) > 0 { // a missing folder does not hide the others
			return trees, nil
		}
		return nil, err
	}
	r, rel, err := w.resolve(dir)
	if err != nil {
		return nil, err
	}
	named := r.named()
	if rel != "." && (inOwn(rel) || secretPath(named, rel)) {
		return nil, refuse(dir, "is not shown: it may hold secrets or is Redline's own")
	}
	exists, isDir, err := w.Stat(dir)
	switch {
	case err != nil:
		return nil, err
	case exists && !isDir:
		return nil, refuse(dir, "is a file; name a folder, or read the file")
	case !exists && virtual:
		return []tree{{r, prefixOf(r), "", skip, off.in(r.realDir())}}, nil
	case !exists:
		return nil, refuse(dir, "does not exist")
	}
	return []tree{{r, prefixOf(r), rel, skip, off.in(r.realDir())}}, nil
}

// walk calls visit with the name, relative to the root, of each visible file.
func (t tree) walk(ctx context.Context, rules *rules, visit func(rel string)) error {
	if t.rel == "" {
		return ctx.Err()
	}
	rules.enter(t.rel)
	base := t.root.realDir()
	top := filepath.Join(base, filepath.FromSlash(t.rel))
	return fastwalk.Walk(&fastwalk.Config{}, top, func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if name == top {
			return err
		}
		if err != nil {
			return nil // skip a folder that is unreadable or was removed meanwhile
		}
		rel := strings.TrimPrefix(filepath.ToSlash(name[len(base):]), "/")
		switch {
		case t.off.named(name):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			if t.skip[name] || rules.hides(rel, true) {
				return fs.SkipDir
			}
		case d.Type().IsRegular() && fs.ValidPath(rel) && !rules.hides(rel, false):
			visit(rel)
		}
		return nil
	})
}

// List returns the visible files below dir ("" or "." is the whole workspace), sorted, at
// most limit of them (0: all), and how many more there are. It leaves out what git ignores, by
// .gitignore files, .git/info/exclude and the user's own file, unless git tracks it; what
// .redline/ignore names; and secrets, symbolic links, .git and .redline. glob ("" matches all) is a doublestar pattern: without a slash it applies to
// names at any depth ("*.go"), with one to paths from the workspace, from its folder or
// from dir ("cmd/**/*.go"). overlay replaces the files that it names.
func (w *Workspace) List(ctx context.Context, dir, glob string, overlay Overlay, limit int) (paths []string, left int, err error) {
	first := firsts[string]{limit: limit, less: cmp.Compare[string]}
	err = w.walk(ctx, dir, glob, overlay, func(e entry) { first.add(0, e.path) })
	if err != nil {
		return nil, 0, err
	}
	paths, left = first.sorted()
	return paths, left, nil
}

// maxIgnored is how many ignored files are counted.
const maxIgnored = 1000

// Ignored returns how many files below dir [Workspace.List] leaves out since git ignores them, at
// most 1000; more is true if there are more. Call it for a folder in which List has found nothing.
func (w *Workspace) Ignored(ctx context.Context, dir string) (n int, more bool, err error) {
	counting, enough := context.WithCancel(ctx)
	defer enough()
	var found atomic.Int64
	err = w.walkAll(counting, dir, "", nil, true, func(entry) {
		if found.Add(1) > maxIgnored {
			enough()
		}
	})
	if counting.Err() != nil && ctx.Err() == nil {
		err = nil
	}
	return int(min(found.Load(), maxIgnored)), found.Load() > maxIgnored, err
}

// globMatcher returns a function that reports whether a file matches glob, by its path or
// by its name in its folder.
func globMatcher(dir, glob string) (func(path, rel string) bool, error) {
	glob = strings.TrimPrefix(strings.TrimPrefix(strings.ReplaceAll(glob, `\`, "/"), "./"), "/")
	if glob == "" {
		return func(string, string) bool { return true }, nil
	}
	if !ValidGlob(glob) {
		return nil, refuse(clipName(glob), "is not a valid glob, or has too many braces; write it like *.go or cmd/**/*.go")
	}
	matches := func(name string) bool {
		ok, err := doublestar.Match(glob, name)
		return ok && err == nil
	}
	if !strings.Contains(glob, "/") {
		return func(p, _ string) bool { return matches(path.Base(p)) }, nil
	}
	return func(p, rel string) bool {
		return matches(p) || matches(rel) || dir != "." && below(dir, p) && matches(p[len(dir)+1:])
	}, nil
}

// firsts keeps the first of many items in sorted order. Its methods may be called from
// several goroutines.
type firsts[T any] struct {
	limit int // 0: all
	less  func(a, b T) int

	mu    sync.Mutex
	items []T
	total int
	last  atomic.Pointer[T] // limit items are at or before it; nil: fewer were added
}

// beyond reports whether an item comes after as many as are kept, so that it only needs to
// be counted.
func (f *firsts[T]) beyond(item T) bool {
	last := f.last.Load()
	return last != nil && f.less(item, *last) > 0
}

// add takes items, and counts more that only need to be counted.
func (f *firsts[T]) add(more int, items ...T) {
	if more+len(items) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.total += more + len(items)
	f.items = append(f.items, items...)
	if f.limit > 0 && len(f.items) > 2*f.limit+1000 {
		f.trim()
	}
}

func (f *firsts[T]) trim() {
	slices.SortFunc(f.items, f.less)
	if f.limit > 0 && len(f.items) > f.limit {
		clear(f.items[f.limit:])
		f.items = f.items[:f.limit]
	}
	if f.limit > 0 && len(f.items) == f.limit {
		last := f.items[f.limit-1]
		f.last.Store(&last)
	}
}

// sorted returns the first items and how many more were added.
func (f *firsts[T]) sorted() (items []T, left int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.trim()
	return f.items, f.total - len(f.items)
}

// Visit calls visit with the path of every visible file of the workspace, those that
// [Workspace.List] lists, in no order and from several goroutines at a time. It returns early,
// with the context's error, when ctx ends.
func (w *Workspace) Visit(ctx context.Context, visit func(path string)) error {
	return w.walk(ctx, ".", "", nil, func(e entry) { visit(e.path) })
}

// Level is what lies directly in a folder: names, sorted. It has no symbolic links, nothing that
// holds secrets by its name, and nothing of git's or Redline's own.
type Level struct {
	Folders, Files []string // what git does not ignore
	Ignored        []string // folders that git ignores
	Cut            bool     // the folder has more than maxLevel entries: the others are left out
}

// maxLevel is how many entries of a folder are read for a [Level].
const maxLevel = 5000

// Level returns what lies directly in the folder at path, "." for the root of a workspace of one
// folder. What is only in the editor, and not on disk, is not part of it.
func (w *Workspace) Level(path string) (Level, error) {
	r, rel, err := w.resolve(path)
	if err != nil {
		return Level{}, err
	}
	dir, err := r.open()
	if err != nil {
		return Level{}, err
	}
	open, err := dir.OpenFile(filepath.FromSlash(rel), nonblock, 0)
	if err != nil {
		return Level{}, refuseFor(path, "read", err)
	}
	defer open.Close()
	entries, err := open.ReadDir(maxLevel + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return Level{}, refuseFor(path, "read", err)
	}
	level := Level{Cut: len(entries) > maxLevel}
	base, rules := r.realDir(), newRules(r)
	rules.enter(rel)
	off := w.offLimits.now(lookAgain).in(base)
	for _, e := range entries[:min(len(entries), maxLevel)] {
		at := e.Name()
		if rel != "." {
			at = rel + "/" + at
		}
		switch {
		case !fs.ValidPath(at) || off.named(filepath.Join(base, filepath.FromSlash(at))) || rules.withholds(at, e.IsDir()):
		case e.IsDir() && rules.hides(at, true):
			level.Ignored = append(level.Ignored, e.Name())
		case e.IsDir():
			level.Folders = append(level.Folders, e.Name())
		case e.Type().IsRegular() && !rules.hides(at, false):
			level.Files = append(level.Files, e.Name())
		}
	}
	for _, names := range [][]string{level.Folders, level.Files, level.Ignored} {
		slices.Sort(names)
	}
	return level, nil
}

// Unlisted reports whether lists leave out path because of its name: it holds secrets, or is git's
// or Redline's own. It reads no text of the file.
func (w *Workspace) Unlisted(path string) bool {
	r, rel, err := w.locate(path)
	if err != nil {
		return true
	}
	return inGit(rel) != "" || inOwn(rel) || secretPath(r.named(), rel)
}

package workspace

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/bmatcuk/doublestar/v4"
)

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

package workspace

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

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
	if dir == "" {
		dir = "."
	}
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

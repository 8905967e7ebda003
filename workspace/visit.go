package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
)

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

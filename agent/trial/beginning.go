package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/workspace"
	"redline/workspace/world"
)

// beginning is what the host had in a workspace just before a command started in its copy. The copy shows
// what the host does meanwhile, or does not: only what is the same before and after is known to be what
// the command found.
type beginning struct {
	roots  []string
	all    map[string]fs.FileInfo // by absolute names, folders too
	files  []string               // names of all but folders, sorted
	stayer map[string]bool        // what stayed has found, by folders
}

// maxListed is how many files a workspace may have.
const maxListed = 2_000_000

// outside is why a change is not carried.
const outside = "it was changed outside of the copy while the command ran"

// begin returns what the host has in the workspace, except in the folders of git and of Redline and, unless
// some of it is included, in those that git ignores. From then on the rules of what git ignores stay as they
// are. It returns once any change would be seen.
func (x *capture) begin(ctx context.Context) (*beginning, error) {
	b := &beginning{all: map[string]fs.FileInfo{}, stayer: map[string]bool{}}
	var ticks world.Ticks
	for _, f := range x.ws.Folders() {
		root := realOf(f.Dir)
		b.roots = append(b.roots, root)
		err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			switch path, _ := x.pathOf(name); {
			case err != nil:
				return nil //nolint:nilerr // it is gone, or the command cannot see it either
			case ctx.Err() != nil:
				return ctx.Err()
			case len(b.all) > maxListed:
				return fmt.Errorf("the workspace has more than %d files", maxListed)
			case e.IsDir() && (ownFolder(path) != "" || x.ignoring.Folder(path) && len(x.include) == 0):
				return fs.SkipDir
			}
			if info, err := e.Info(); err == nil {
				b.all[name] = info
				ticks.Saw(workspace.ChangeTime(info))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	x.ignoring.Fix()
	b.files = slices.Sorted(maps.Keys(b.all))
	b.files = slices.DeleteFunc(b.files, func(name string) bool { return b.all[name].IsDir() })
	return b, ticks.Wait(ctx)
}

// has reports whether the host has at a name what it had when the command started, or nothing in both
// cases. A folder that the file is in may have been another one for a while all the same, see stayed.
func (b *beginning) has(name string) bool {
	was, had := b.all[name]
	now, err := os.Lstat(name)
	if err != nil {
		return !had && errors.Is(err, fs.ErrNotExist)
	}
	return had && workspace.SameState(was, now)
}

// below returns the names of the files that there were in a folder, or the name itself if it was no folder.
func (b *beginning) below(name string) (names []string) {
	if _, had := b.all[name]; !had {
		return nil
	}
	at, is := slices.BinarySearch(b.files, name)
	if is {
		return b.files[at : at+1]
	}
	from, _ := slices.BinarySearch(b.files, name+"/")
	to := from
	for to < len(b.files) && strings.HasPrefix(b.files[to], name+"/") {
		to++
	}
	return b.files[from:to]
}

// stayed reports whether all folders of the workspace that a file is in were the same ones all the time. To
// move or lock a folder changes its change time, and not when it was modified. What is written in it
// afterwards makes both equal again, but moving it has then changed the folder that it is in.
func (b *beginning) stayed(name string) bool {
	dir := filepath.Dir(name)
	is, known := b.stayer[dir]
	if !known {
		is = b.stays(dir)
		b.stayer[dir] = is
	}
	return is
}

func (b *beginning) stays(dir string) bool {
	isRoot := slices.Contains(b.roots, dir)
	if !isRoot && (dir == filepath.Dir(dir) || !b.stayed(dir)) {
		return false
	}
	was, had := b.all[dir]
	now, err := os.Lstat(dir)
	switch {
	case err != nil || !had:
		return !had && errors.Is(err, fs.ErrNotExist)
	case !os.SameFile(was, now):
		return false
	case workspace.ChangeTime(was).Equal(workspace.ChangeTime(now)):
		return true
	case !workspace.ChangeTime(now).Equal(now.ModTime()):
		return false
	case isRoot:
		return true
	}
	before, had := b.all[filepath.Dir(dir)]
	above, err := os.Lstat(filepath.Dir(dir))
	return had && err == nil && above.ModTime().Equal(before.ModTime())
}

package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"redline/workspace/runner"
	"redline/workspace/toolfolders"
	"redline/workspace/world"
)

// IsolationCopy is the value of [Options].Isolation for plain copies, from which a command can write
// elsewhere.
const IsolationCopy = "copy"

const separator = string(filepath.Separator)

// isPlain reports whether the command of a copy runs in a plain one. possible tests for worlds. The error
// is the reason why there is no world for it.
func isPlain(of Copy, o Options, possible func() error) (bool, error) {
	if of.MayBePlain && o.Isolation == IsolationCopy {
		return true, nil
	}
	err := possible()
	if err != nil && of.MayBePlain {
		err = fmt.Errorf("%w; trials.isolation = \"copy\" in your settings, or --isolation copy, allows a plain copy, from which a program can write elsewhere", err)
	}
	return false, err
}

// copyPlain makes a plain copy and runs a command in it.
func (x *capture) copyPlain(ctx context.Context, c *runner.Command) (err error) {
	w := *c.World
	changes := slices.DeleteFunc(slices.Clone(w.Changes), func(one world.Change) bool {
		path, inside := x.pathOf(one.Path)
		return !inside || ownFolder(path) != ""
	})
	x.plain, err = world.NewPlain(ctx, world.PlainFrom{Folders: w.Folders, Changes: changes, Has: x.having, Left: c.Left})
	if err != nil {
		return fmt.Errorf("there is no plain copy of the workspace: %w", err)
	}
	dir, ok := x.plain.In(c.Dir)
	if !ok {
		return errors.New("its folder is not in the workspace")
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return errors.New("the copy does not have its folder, which git ignores")
	}
	c.Dir, c.Plain = dir, x.plain
	as := x.options.Plain
	c.Confine, c.Namespaces, c.Own, c.OwnFolders = as.Confine, as.Namespaces, as.Own, as.OwnFolders
	if x.options.Caches != nil {
		c.Write = append(c.Write, world.Outside(world.Shown(x.options.Caches(), toolfolders.Homes()), x.roots())...)
		for _, dir := range c.Write { // a tool that runs for the first time could not create it
			_ = os.MkdirAll(dir, 0o700)
		}
	}
	return nil
}

// having reports how a plain copy has a file or folder.
func (x *capture) having(name string, isDir bool) world.Having {
	path, inside := x.pathOf(name)
	switch {
	case !inside, ownFolder(path) != "", isIn(name, x.hidden):
		return world.HasNot
	case isDir && !x.ignoring.Folder(path), x.included(path):
		return world.Has
	}
	if !isDir {
		if _, ignored := x.ignoring.File(path); !ignored {
			return world.Has
		}
	}
	switch {
	case x.aside(path):
		return world.HasAside
	case isDir && len(x.include) > 0:
		return world.HasBelow
	}
	return world.HasNot
}

// aside reports whether trials.copy_also names a file or folder, or one that it is in. A name without a
// folder is meant wherever it is.
func (x *capture) aside(name string) bool {
	for at := name; at != "." && at != "/"; at = path.Dir(at) {
		for _, glob := range x.options.CopyAlso {
			in := at
			if !strings.Contains(glob, "/") {
				in = path.Base(at)
			}
			if ok, err := doublestar.Match(glob, in); ok && err == nil {
				return true
			}
		}
	}
	return false
}

// copied reports whether a plain copy began with what a file has on the host.
func (x *capture) copied(name string) bool {
	text, err := os.ReadFile(filepath.Clean(name))
	return err == nil && x.plain.Began(name, text)
}

// MadeIn says where a command has made its changes: "in a copy of the workspace".
func (c *Captured) MadeIn() string {
	switch {
	case !c.Plain:
		return "in a copy of the workspace"
	case c.Confined:
		return "in a plain copy of the workspace (its writes elsewhere were limited to caches)"
	}
	return "in a plain copy of the workspace (its writes elsewhere were not prevented)"
}

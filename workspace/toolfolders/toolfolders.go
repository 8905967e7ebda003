// Package toolfolders knows where tools keep their programs, and what they have fetched or built:
// one table for approved commands, which may write the caches, and for trials, which see a copy of
// everything in it.
//
// A variable such as GOPATH can move a folder, but never so far that a command sees or writes the
// home folder, a folder that holds it, or one for keys: see [world.Shown].
package toolfolders

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"redline/workspace/world"
)

// Homes returns the user's home folders: the one of this process, and the one that the system has
// for the user.
func Homes() (all []string) {
	if home, err := os.UserHomeDir(); err == nil {
		all = append(all, home)
	}
	if u, err := user.Current(); err == nil && u.HomeDir != "" {
		all = append(all, u.HomeDir)
	}
	return all
}

// Seen returns the folders of tools that trials see, sorted: those of the table, and those of PATH
// in the home folder. They need not exist. Trials see the system's folders anyway.
func Seen() []string {
	home, _ := os.UserHomeDir() // "" if there is none
	var dirs []string
	for _, r := range table {
		for _, dir := range r.places(home, true) {
			dirs = append(dirs, r.partsSeen(dir)...)
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if rel, err := filepath.Rel(home, dir); err == nil && home != "" && filepath.IsLocal(rel) {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	dirs = slices.DeleteFunc(dirs, world.InSystem)
	slices.Sort(dirs)
	return world.Shown(slices.Compact(dirs), Homes())
}

// Usual stands for [Caches] in a list of folders.
const Usual = "usual"

// Caches returns the folders outside the workspace that approved commands may write unless the
// user's settings name others: the caches that exist, and those of programs that are installed,
// which create them when they first run.
func Caches() []string {
	home, _ := os.UserHomeDir() // "" if there is none
	var dirs []string
	in := func(dir string) func(string) bool {
		return func(of string) bool { return dir == of || strings.HasPrefix(dir, of+string(filepath.Separator)) }
	}
	for _, r := range table {
		if r.use != Cache {
			continue
		}
		for _, dir := range r.places(home, false) {
			if !slices.ContainsFunc(dirs, in(dir)) && (isFolder(dir) || r.installed()) {
				dirs = append(dirs, dir)
			}
		}
	}
	return world.Shown(dirs, slices.Concat(Homes(), kept(home)))
}

// kept are the folders of the home folder that no cache may be or hold, whatever variables say:
// settings, the data of all programs, and tools.
func kept(home string) (dirs []string) {
	if home == "" {
		return nil
	}
	dirs = append(dirs, filepath.Join(home, ".config"), os.Getenv("XDG_CONFIG_HOME"))
	for _, base := range xdg {
		if base.variable != "XDG_CACHE_HOME" {
			dirs = append(dirs, filepath.Join(home, filepath.FromSlash(base.folder)), os.Getenv(base.variable))
		}
	}
	for _, r := range table {
		for _, at := range strings.Fields(r.at) {
			if rest, ok := strings.CutPrefix(at, "~/"); ok && r.use == Tools {
				dirs = append(dirs, filepath.Join(home, filepath.FromSlash(rest)))
			}
		}
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return !filepath.IsAbs(dir) })
}

// xdg are the folders of the home folder that a variable moves, with what is in them.
var xdg = []struct{ folder, variable string }{
	{".cache", "XDG_CACHE_HOME"}, {".local/share", "XDG_DATA_HOME"}, {".local/state", "XDG_STATE_HOME"},
}

// places returns where the folder of a row is: the first place whose variable is set, or all places.
func (r row) places(home string, all bool) (dirs []string) {
	for _, at := range strings.Fields(r.at) {
		var found []string
		ends := true // the tool looks no further
		if rest, ok := strings.CutPrefix(at, "~/"); ok {
			found = inHome(home, rest, all)
		} else {
			name, rest, _ := strings.Cut(strings.TrimPrefix(at, "$"), "/")
			for _, base := range filepath.SplitList(Value(name)) {
				if filepath.IsAbs(base) {
					found = append(found, filepath.Join(base, filepath.FromSlash(rest)))
				}
				ends = ends && base != "" // an empty entry stands for the usual place
			}
		}
		if dirs = append(dirs, found...); len(found) > 0 && ends && !all {
			return dirs
		}
	}
	return dirs
}

// inHome returns a folder of the home folder: where a variable moves it, and where it is otherwise,
// or both.
func inHome(home, name string, both bool) (dirs []string) {
	for _, base := range xdg {
		rest, ok := strings.CutPrefix(name, base.folder)
		if to := os.Getenv(base.variable); ok && filepath.IsAbs(to) && len(world.Shown([]string{to}, Homes())) > 0 {
			if dirs = append(dirs, filepath.Join(to, filepath.FromSlash(rest))); !both {
				return dirs
			}
		}
	}
	if home != "" {
		dirs = append(dirs, filepath.Join(home, filepath.FromSlash(name)))
	}
	return dirs
}

// partsSeen returns the parts of the folder of a row that trials see.
func (r row) partsSeen(dir string) (dirs []string) {
	switch r.seen {
	case "":
		return []string{dir}
	case "-":
		return nil
	}
	for _, part := range strings.Fields(r.seen) {
		dirs = append(dirs, filepath.Join(dir, part))
	}
	return dirs
}

// installed reports whether the program that creates the folder is there.
func (r row) installed() bool {
	if r.program == "" || r.program == "*" {
		return r.program == "*"
	}
	_, err := exec.LookPath(r.program)
	return err == nil
}

func isFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

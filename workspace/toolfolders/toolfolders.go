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
	"runtime"
	"slices"
	"strings"
	"sync"

	"redline/internal/lazyregexp"
	"redline/internal/smallfile"
	"redline/workspace/secrets"
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

// Places returns where the table has the folders of a tool, the places that a variable names first. On
// macOS these are also the system's own places for what the table has in ~/.cache and ~/.local/share.
func Places(tool string) (dirs []string) {
	home, _ := os.UserHomeDir() // "" if there is none
	for _, r := range table {
		if r.tool == tool {
			dirs = append(dirs, r.places(home, true)...)
		}
	}
	if runtime.GOOS == "darwin" && home != "" {
		for _, dir := range slices.Clone(dirs) {
			for _, own := range [][2]string{{".cache", "Caches"}, {".local/share", "Application Support"}} {
				if rest, ok := strings.CutPrefix(dir, filepath.Join(home, own[0])+"/"); ok {
					dirs = append(dirs, filepath.Join(home, "Library", own[1], rest))
				}
			}
		}
	}
	return dirs
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

// credential matches, besides [secrets.Mentioned], what a file of settings may need secrets for. Such a file is not shown at all:
// a part of it could mean something else. A proxy has its user also without a scheme, and a variable for
// programs is a key by its name, in any way that TOML writes names.
var credential = lazyregexp.New(`(?i)_(pass|pwd|auth)\b|[^/\s"']@|key\w*["']?\s*(=|\]|\.\w)`)

// Settings returns the files of settings that trials read, since tools build something else without
// them, or look for what they have fetched under another name: Cargo's, unless they may have
// credentials. They exist.
func Settings() (files []string) {
	home, _ := os.UserHomeDir() // "" if there is none
	cargo := row{at: "$CARGO_HOME ~/.cargo"}
	for _, dir := range world.Shown(cargo.places(home, false), Homes()) {
		for _, name := range []string{"config.toml", "config"} {
			file := filepath.Join(dir, name)
			text, err := smallfile.Read(file, maxSettings)
			if err == nil && len(text) <= maxSettings && !credential().MatchString(text) && !secrets.Mentioned(text) && !secrets.Text(name, text) {
				files = append(files, file)
			}
		}
	}
	return files
}

// Opening returns the folder that a setting must name so that commands can write a file, with ~ for
// the home folder: the folder of a tool, a Git directory, or the nearest folder there is. It returns
// "" if no setting can.
func Opening(file string) string {
	home, _ := os.UserHomeDir() // "" if there is none
	dir := folderOf(file, home)
	if info, err := os.Stat(dir); err == nil && !info.IsDir() || len(world.Shown([]string{dir}, Homes())) == 0 {
		return ""
	}
	return Short(dir)
}

// Short shortens the name of a file in the home folder: ~/.nvm.
func Short(name string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return name
	}
	if rel, err := filepath.Rel(home, name); err == nil && filepath.IsLocal(rel) && rel != "." {
		return "~/" + filepath.ToSlash(rel)
	}
	return name
}

// folderOf returns the folder around a file that belongs together.
func folderOf(file, home string) string {
	for _, r := range table {
		for _, dir := range r.places(home, true) {
			if r.seen != "-" && (file == dir || strings.HasPrefix(file, dir+string(filepath.Separator))) {
				return dir
			}
		}
	}
	if before, _, ok := strings.Cut(file+"/", "/.git/"); ok {
		return before + "/.git"
	}
	at, below := file, file
	for !isFolder(at) && at != filepath.Dir(at) {
		at, below = filepath.Dir(at), at
	}
	if len(world.Shown([]string{at}, Homes())) == 0 { // a new folder in the home folder
		return below
	}
	return at
}

// names are the variables of the table, and those that move many of its folders.
var names = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{"XDG_CONFIG_HOME": true}
	for _, base := range xdg {
		all[base.variable] = true
	}
	for _, r := range table {
		for _, at := range strings.Fields(r.at) {
			if name, ok := strings.CutPrefix(at, "$"); ok {
				name, _, _ = strings.Cut(name, "/")
				all[name] = true
			}
		}
	}
	return all
})

// Variable reports whether a variable says where a tool has a folder.
func Variable(name string) bool { return names()[name] }

// Value returns what an environment variable says about folders, or for Go the user's settings, see
// [GoSettings].
func Value(name string) string {
	value := os.Getenv(name)
	if value == "" && strings.HasPrefix(name, "GO") {
		value = GoSettings()[name]
	}
	return Folders(name, value)
}

// maxSettings is the size limit of a file of settings, in bytes.
const maxSettings = 64 << 10

// GoSettings returns the variables that the user has set for Go by "go env -w". They count where the
// environment has none. Trials do not see the file, so they get them as variables.
func GoSettings() map[string]string {
	name := os.Getenv("GOENV")
	if name == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil
		}
		name = filepath.Join(dir, "go", "env")
	}
	text, err := smallfile.Read(name, maxSettings)
	if err != nil { // also for "off"
		return nil
	}
	set := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			set[name] = value
		}
	}
	return set
}

// repository is the option of Maven that names its repository.
const repository = "-Dmaven.repo.local="

// Folders returns the part of the value of a variable that says where folders are: of Maven's options
// only the repository, since others may have passwords.
func Folders(name, value string) string {
	if name != "MAVEN_OPTS" && name != "MAVEN_ARGS" {
		return value
	}
	for _, option := range strings.Fields(value) {
		if dir, ok := strings.CutPrefix(option, repository); ok {
			return dir
		}
	}
	return ""
}

// Passed returns the value with which a command gets a variable of the table. ok is false for a
// variable of which it gets nothing.
func Passed(name, value string) (passed string, ok bool) {
	if !Variable(name) {
		return "", false
	}
	if name != "MAVEN_OPTS" && name != "MAVEN_ARGS" {
		return value, true
	}
	dir := Folders(name, value)
	return repository + dir, dir != ""
}

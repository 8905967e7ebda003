// Package git reads the repository of a workspace folder with the installed Git. Whoever made
// the repository is not trusted: its settings, hooks and attributes may name programs, and Git
// runs those of a filter, a diff driver, a file system monitor or a signature even to show
// something.
//
// So Git never sees the settings of the repository. Each reading makes a private folder with the
// refs and with settings of our own, and names it as the repository ([Repo.open]); only objects,
// index and worktree are those of the user. Of the repository's settings, and of the user's own,
// it takes over a few that have no other values than words like true and input. What a later Git
// may learn to run for a setting is thereby off too. The environment has no variable of Git's
// besides ours, nothing is fetched, no lock is taken, and nothing is written outside of the
// private folder.
package git

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"redline/workspace"
	"redline/workspace/gitrepo"
	"redline/workspace/leftover"
)

// Errors of At.
var (
	ErrNone     = errors.New("the workspace is in no Git repository")
	ErrNoGit    = errors.New("no program git was found")
	errUnusable = errors.New("the Git repository of the workspace cannot be read: it lacks objects or refs, or shares them with another one")
)

// Repo is the repository that a workspace folder is in. It has no open files. Its methods may be
// called from any goroutine. Paths are slash-separated and relative to the workspace folder;
// nothing outside of that folder is shown.
type Repo struct {
	found   gitrepo.Repository
	program string // the absolute name of git
	path    string // PATH for it
	top     string // the worktree
	folder  string // the workspace folder: top, or in it
	prefix  string // of folder in top, "" or "a/b/"
	own     string // the folder with HEAD and the index
	common  string // the folder with objects and refs
	left    *leftover.Ledger

	mu       sync.Mutex
	settings string // of our own, the text of a file; "" until they are needed
}

// At returns the repository of a workspace folder, an absolute name: its own, or that of a folder
// above it that belongs to the same user. left may be nil. The error is ErrNone, ErrNoGit, or
// says why the repository cannot be read. At looks at names only and runs nothing.
func At(folder string, left *leftover.Ledger) (*Repo, error) {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, err
	}
	top, found, err := find(real)
	if err != nil {
		return nil, err
	}
	r := &Repo{found: found, top: top, folder: real, left: left}
	rel, err := filepath.Rel(top, real)
	if err != nil {
		return nil, err
	}
	if rel != "." {
		r.prefix = filepath.ToSlash(rel) + "/"
	}
	r.own, r.common = found.Dirs()
	if !usable(r.own, r.common) {
		return nil, errUnusable
	}
	if r.program, r.path = program(os.Getenv("PATH"), top); r.program == "" {
		return nil, ErrNoGit
	}
	return r, nil
}

// find returns the worktree that a folder is in, and its repository.
func find(folder string) (top string, r gitrepo.Repository, err error) {
	_, owner := workspace.OwnerOf(folder)
	for top = folder; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			r, ok := gitrepo.Of(top)
			if _, other := workspace.OwnerOf(top); !ok || other != owner { // /tmp/.git may be anybody's
				return "", r, ErrNone
			}
			return top, r, nil
		}
		if filepath.Dir(top) == top {
			return "", r, ErrNone
		}
	}
}

// usable reports whether the folders have what Git needs, as files of their own: symbolic links and
// borrowed objects could show the history of another repository, whose objects a model can find by
// guessing the first digits of their hashes.
func usable(own, common string) bool {
	objects, err := os.ReadDir(filepath.Join(common, "objects"))
	if err != nil || slices.ContainsFunc(objects, func(e os.DirEntry) bool { return !e.Type().IsDir() && !e.Type().IsRegular() }) {
		return false
	}
	if _, err := os.Lstat(filepath.Join(common, "objects", "info", "alternates")); !errors.Is(err, os.ErrNotExist) {
		return false
	}
	for _, name := range []string{filepath.Join(common, "objects"), filepath.Join(common, "refs")} {
		if info, err := os.Lstat(name); err != nil || !info.IsDir() {
			return false
		}
	}
	head, err := os.Lstat(filepath.Join(own, "HEAD"))
	if err != nil || !head.Mode().IsRegular() {
		return false
	}
	index, err := os.Lstat(filepath.Join(own, "index"))
	return errors.Is(err, os.ErrNotExist) || err == nil && index.Mode().IsRegular()
}

// program returns the absolute name of git, "" if there is none, and the entries of PATH that it
// gets. Entries that are relative or inside the worktree are left out: whoever made the
// repository may have put a git there.
func program(list, top string) (name, path string) {
	var kept []string
	for _, dir := range filepath.SplitList(list) {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || !filepath.IsAbs(dir) || within(top, real) {
			continue
		}
		kept = append(kept, dir)
		if name == "" {
			name = executable(dir, top)
		}
	}
	for i, dir := range kept {
		if i == 0 {
			path = dir
			continue
		}
		path += string(filepath.ListSeparator) + dir
	}
	return name, path
}

// within reports whether an absolute name is dir or inside it.
func within(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// executable returns the absolute name of git in dir, "" if it has none or a link into top.
func executable(dir, top string) string {
	name := filepath.Join(dir, "git")
	if runtime.GOOS == "windows" {
		name += ".exe" // a .bat or .cmd would be run by a shell
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		return ""
	}
	if real, err := filepath.EvalSymlinks(name); err != nil || within(top, real) {
		return ""
	}
	return name
}

// Package git reads the repository of a workspace folder with the installed Git. It does
// not trust the repository: settings, hooks and attributes may name programs, and Git
// runs those of a filter, a diff driver, a file system monitor or a signature even for
// reading.
//
// So Git never sees the settings of the repository. Each reading creates a private folder
// with the refs and with settings of our own, and names it as the repository
// ([Repo.open]); only objects, index and worktree are the user's. From the repository's
// settings, and from the user's own, it takes a few whose only values are words like true
// and input. That also disables whatever a later Git may learn to run because of a
// setting. The environment has no variables of Git besides ours. Nothing is fetched or
// locked, and nothing is written outside the private folder.
//
// What an ordinary repository has changed since the last commit is in its files, so no process
// is needed for that: [FromFiles] reads HEAD, the refs, the index, and commits and trees.
package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"redline/workspace"
	"redline/workspace/gitrepo"
	"redline/workspace/leftover"
)

// Errors of [At].
var (
	ErrNone     = errors.New("the workspace is in no Git repository")
	ErrNoGit    = errors.New("no program git was found")
	errUnusable = errors.New("the Git repository of the workspace cannot be read: it lacks objects or refs, or shares them with another one")
)

// Repo is the repository that contains a workspace folder. It keeps no files open. Its
// methods may be called from any goroutine. Paths are slash-separated and relative to the
// workspace folder; nothing outside that folder is shown.
type Repo struct {
	found   gitrepo.Repository
	program string // the absolute path of git
	path    string // PATH for git
	top     string // the root of the worktree
	folder  string // the workspace folder: top, or inside it
	prefix  string // the path of folder in top, "" or "a/b/"
	own     string // the folder that contains HEAD and the index
	common  string // the folder that contains objects and refs
	left    *leftover.Ledger

	mu       sync.Mutex
	settings string // the text of our own settings, "" until first needed
}

// At returns the repository of a workspace folder, given by its absolute path: a
// repository there, or in a folder above it that belongs to the same user. left may be
// nil. The error is ErrNone, ErrNoGit, or says why the repository cannot be read. At only
// looks at paths and runs nothing.
func At(folder string, left *leftover.Ledger) (*Repo, error) {
	r, err := locate(folder, left)
	if err != nil {
		return nil, err
	}
	if r.program, r.path = Program(os.Getenv("PATH"), r.top); r.program == "" {
		return nil, ErrNoGit
	}
	return r, nil
}

// locate does what At does, without looking for the program.
func locate(folder string, left *leftover.Ledger) (*Repo, error) {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, err
	}
	top, found, err := Find(real)
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
	return r, nil
}

// Find returns the worktree that contains a folder, and its repository. The error is ErrNone if
// there is none, or if it belongs to another user.
func Find(folder string) (top string, r gitrepo.Repository, err error) {
	_, owner := workspace.OwnerOf(folder)
	for top = folder; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			r, ok := gitrepo.Of(top)
			if _, other := workspace.OwnerOf(top); !ok || other != owner { // anyone can create /tmp/.git
				return "", r, ErrNone
			}
			return top, r, nil
		}
		if filepath.Dir(top) == top {
			return "", r, ErrNone
		}
	}
}

// usable reports whether the folders contain what Git needs, as files of their own.
// Symbolic links and borrowed objects could show the history of another repository, whose
// objects a model can find by guessing the first digits of their hashes.
func usable(own, common string) bool {
	if !ownObjects(filepath.Join(common, "objects")) {
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

// Program returns the absolute path of git, "" if there is none, and its PATH. It leaves
// out entries of list that are relative or inside the worktree top, where the repository may
// contain a program named git.
func Program(list, top string) (name, path string) {
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

// within reports whether an absolute path is dir or inside it.
func within(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// executable returns the absolute path of git in dir, "" if there is none or if it is a
// link into top.
func executable(dir, top string) string {
	name := filepath.Join(dir, "git")
	if runtime.GOOS == "windows" {
		name += ".exe" // a shell would run a .bat or .cmd
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

// ownFolders remembers when the folders of objects had only files of their own: by absolute
// name, with the time of the last change.
var ownFolders sync.Map

// maxOwnFolders is how many folders have objects: one for each first byte of a hash, and that
// of packs.
const maxOwnFolders = 256 + 1

// ownObjects reports whether a folder of objects, and each pack and object in it, is no link.
func ownObjects(dir string) bool {
	objects, err := os.ReadDir(dir)
	if err != nil || slices.ContainsFunc(objects, func(e os.DirEntry) bool { return !e.Type().IsDir() && !e.Type().IsRegular() }) {
		return false
	}
	looked := 0
	for _, e := range objects {
		if e.IsDir() && e.Name() != "info" {
			if looked++; looked > maxOwnFolders || !ownFiles(filepath.Join(dir, e.Name())) {
				return false
			}
		}
	}
	return true
}

// ownFiles reports whether a folder has no links. It reads only folders that have changed.
func ownFiles(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil {
		return false
	}
	if at, ok := ownFolders.Load(dir); ok && at.(time.Time).Equal(info.ModTime()) {
		return true
	}
	entries, err := os.ReadDir(dir)
	if err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !e.Type().IsDir() && !e.Type().IsRegular() }) {
		return false
	}
	if time.Since(info.ModTime()) > 2*time.Second { // another change may have the same time
		ownFolders.Store(dir, info.ModTime())
	}
	return true
}

// Failed is the error if git failed. Text is the first line of its messages, which may
// quote content of the repository.
type Failed struct {
	Text string
	Code int // the exit code
}

func (f *Failed) Error() string { return "git: " + f.Text }

// exitCode returns the exit code of git, -1 if err contains none.
func exitCode(err error) int {
	if failed, ok := errors.AsType[*Failed](err); ok {
		return failed.Code
	}
	return -1
}

// maxStderr is how many bytes of git's messages are read.
const maxStderr = 8 << 10

// output is the output of git.
type output struct {
	text []byte
	cut  bool // there was more output than the limit
}

// environ returns the environment of git: that of this process without the variables that
// change what git does or runs.
func (v *view) environ() []string {
	var env []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		name = strings.ToUpper(name)
		switch name {
		case "PATH", "HOME", "XDG_CONFIG_HOME", "LANGUAGE", "LANG", "PAGER", "EDITOR", "VISUAL", "SSH_ASKPASS":
			continue
		}
		if !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "LC_") {
			env = append(env, entry)
		}
	}
	return append(env,
		"PATH="+v.path, "HOME="+v.dir, "XDG_CONFIG_HOME="+v.dir, "LC_ALL=C",
		"GIT_DIR="+v.dir, "GIT_WORK_TREE="+v.top,
		"GIT_OBJECT_DIRECTORY="+filepath.Join(v.common, "objects"), "GIT_INDEX_FILE="+filepath.Join(v.own, "index"),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1", "GIT_PAGER=cat",
	)
}

// git runs git in the workspace folder and returns the first limit bytes of its output.
// It kills git if there is more. in may be nil. The error is a [*Failed], that of the
// context, or says why git did not start.
func (v *view) git(in io.Reader, limit int, args ...string) (output, error) {
	ctx, cancel := context.WithCancel(v.ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, v.program, append([]string{"--no-pager"}, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.WaitDelay = v.folder, v.env, in, time.Second
	var out, messages bounded
	out.limit, out.full = limit, cancel
	messages.limit = maxStderr
	cmd.Stdout, cmd.Stderr = &out, &messages
	err := run(cmd)
	result := output{text: out.Bytes(), cut: out.cut}
	var exit *exec.ExitError
	switch {
	case v.ctx.Err() != nil:
		return result, context.Cause(v.ctx)
	case out.cut || err == nil:
		return result, nil
	case errors.As(err, &exit):
		line, _, _ := strings.Cut(strings.TrimSpace(messages.String()), "\n")
		return result, &Failed{Text: line, Code: exit.ExitCode()}
	}
	return result, err
}

// bounded keeps the first bytes written to it.
type bounded struct {
	bytes.Buffer
	limit int
	cut   bool
	full  func() // called once when more is written than fits; may be nil
}

func (b *bounded) Write(p []byte) (int, error) {
	fits := min(len(p), b.limit-b.Len())
	b.Buffer.Write(p[:fits])
	if fits < len(p) && !b.cut {
		b.cut = true
		if b.full != nil {
			b.full()
		}
	}
	return len(p), nil
}

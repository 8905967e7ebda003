package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"redline/internal/lazyregexp"
	"redline/workspace/leftover"
)

// Limits of what is copied from a repository.
const (
	maxRefs   = 20_000   // refs in files of their own; more are ignored
	maxRef    = 4 << 10  // bytes of such a ref
	maxPacked = 64 << 20 // bytes of a file with packed refs, and of a file that belongs to the index
	maxInfo   = 1 << 20  // bytes of a file with ignore patterns
)

// refs selects the refs to copy for a reading.
type refs bool

const (
	headOnly refs = false
	allRefs  refs = true
)

// view is a private repository that shows the objects, the index and the worktree of a
// Repo, with our own settings and without hooks.
type view struct {
	*Repo
	ctx    context.Context // ends with the caller's context, or after maxTime
	end    context.CancelFunc
	dir    string
	env    []string
	forget func()
}

// maxTime is the timeout of one reading.
const maxTime = 20 * time.Second

var errSlow = fmt.Errorf("reading the Git repository took longer than %s; ask for less, or continue without it", maxTime)

// open creates the private repository for one reading. The caller must close it.
func (r *Repo) open(ctx context.Context, which refs) (*view, error) {
	settings, err := r.chosen(ctx)
	if err != nil {
		return nil, err
	}
	return r.openWith(ctx, which, settings)
}

func (r *Repo) openWith(ctx context.Context, which refs, settings string) (*view, error) {
	v := &view{Repo: r, dir: filepath.Join(os.TempDir(), leftover.Name(leftover.Git))}
	v.ctx, v.end = context.WithTimeoutCause(ctx, maxTime, errSlow)
	v.forget = r.left.Note(v.dir)
	if err := v.fill(which, settings); err != nil {
		v.close()
		return nil, err
	}
	v.env = v.environ()
	return v, nil
}

func (v *view) close() {
	_ = leftover.RemoveAll(v.dir)
	v.forget()
	v.end()
}

func (v *view) fill(which refs, settings string) error {
	if err := os.Mkdir(v.dir, 0o700); err != nil {
		return err
	}
	if err := errors.Join(os.MkdirAll(filepath.Join(v.dir, "refs", "heads"), 0o700), v.write("config", settings)); err != nil {
		return err
	}
	own, err := os.OpenRoot(v.own) // os.Root opens nothing outside the folder, whatever symbolic links say
	if err != nil {
		return err
	}
	defer own.Close()
	common, err := os.OpenRoot(v.common)
	if err != nil {
		return err
	}
	defer common.Close()
	head, ok := refIn(own, "HEAD")
	if !ok {
		return errUnusable
	}
	if err := v.write("HEAD", head); err != nil {
		return err
	}
	for _, name := range []string{"info/exclude", "info/attributes", "shallow"} {
		if err := v.copy(common, name, maxInfo); err != nil {
			return err
		}
	}
	for _, name := range namesIn(own, ".", "sharedindex.") {
		if err := v.copy(own, name, maxPacked); err != nil {
			return err
		}
	}
	for _, name := range namesIn(common, "reftable", "") {
		if err := v.copy(common, name, maxPacked); err != nil {
			return err
		}
	}
	if which == headOnly {
		return v.copyHead(common, head)
	}
	return v.copyRefs(own, common)
}

// write writes a file of the private repository.
func (v *view) write(name, text string) error {
	at := filepath.Join(v.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return err
	}
	return os.WriteFile(at, []byte(text), 0o600)
}

// copy copies a file of the repository if it exists and is not too large.
func (v *view) copy(from *os.Root, name string, limit int64) error {
	f, ok := openRegular(from, name, limit)
	if !ok {
		return nil
	}
	defer f.Close()
	at := filepath.Join(v.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return err
	}
	to, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.LimitReader(f, limit))
	return errors.Join(err, to.Close())
}

// openRegular opens a file of the repository unless it is a FIFO, which would block.
func openRegular(from *os.Root, name string, limit int64) (*os.File, bool) {
	name = filepath.FromSlash(name)
	info, err := from.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return nil, false
	}
	f, err := from.Open(name)
	return f, err == nil
}

// namesIn returns the paths of the entries of a folder that begin with prefix.
func namesIn(from *os.Root, dir, prefix string) (names []string) {
	entries, err := fs.ReadDir(from.FS(), dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if len(names) < 64 && strings.HasPrefix(e.Name(), prefix) {
			names = append(names, path.Join(dir, e.Name()))
		}
	}
	return names
}

// refText matches the content of a ref's file: an object, or another ref.
var refText = lazyregexp.New(`^(?:[0-9a-f]{40}|[0-9a-f]{64}|ref: (refs/[^\x00-\x20~^:?*\[\\\x7f]+))\n?$`)

// refIn returns the content of a ref's file. It returns false if there is no such file,
// or if it is no ref.
func refIn(from *os.Root, name string) (string, bool) {
	f, ok := openRegular(from, name, maxRef)
	if !ok {
		return "", false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxRef))
	if err != nil {
		return "", false
	}
	found := refText().FindStringSubmatch(string(text))
	return string(text), found != nil && (found[1] == "" || isRefName(found[1]))
}

func isRefName(name string) bool {
	return path.Clean(name) == name && filepath.IsLocal(filepath.FromSlash(name)) && !strings.Contains(name, "..")
}

// copyHead copies the ref that HEAD names, if that has a commit.
func (v *view) copyHead(common *os.Root, head string) error {
	for range 5 { // a ref may name another
		name, ok := strings.CutPrefix(strings.TrimSuffix(head, "\n"), "ref: ")
		if !ok {
			return nil
		}
		if head, ok = refIn(common, name); !ok {
			if head, ok = packed(common, name); !ok {
				return nil
			}
		}
		if err := v.write(name, head); err != nil {
			return err
		}
	}
	return nil
}

// packed returns the object of a ref in the file of packed refs.
func packed(common *os.Root, name string) (string, bool) {
	f, ok := openRegular(common, "packed-refs", maxPacked)
	if !ok {
		return "", false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPacked))
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(text)) {
		object, ok := strings.CutSuffix(strings.TrimSuffix(line, "\n"), " "+name)
		if ok && refText().MatchString(object) {
			return object + "\n", true
		}
	}
	return "", false
}

// copyRefs copies all refs.
func (v *view) copyRefs(own, common *os.Root) error {
	for _, name := range []string{"ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD"} {
		if text, ok := refIn(own, name); ok {
			if err := v.write(name, text); err != nil {
				return err
			}
		}
	}
	if err := v.copy(common, "packed-refs", maxPacked); err != nil {
		return err
	}
	left := maxRefs
	return fs.WalkDir(common.FS(), "refs", func(name string, e fs.DirEntry, err error) error {
		switch {
		case v.ctx.Err() != nil:
			return context.Cause(v.ctx)
		case left == 0:
			return fs.SkipAll
		case err != nil || !e.Type().IsRegular() || !isRefName(name):
			return nil
		}
		left--
		if text, ok := refIn(common, name); ok {
			return v.write(name, text)
		}
		return nil
	})
}

// base are the settings of the private repository. The first must not change. The others
// have the defaults of Git, or switch off what a later Git may switch on.
const base = `[core]
	repositoryFormatVersion = 1
	bare = false
	fsmonitor = false
	untrackedCache = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	quotePath = false
	bigFileThreshold = 8m
[diff]
	autoRefreshIndex = false
	renameLimit = 400
[gc]
	auto = 0
[maintenance]
	auto = false
[protocol]
	allow = never
[i18n]
	logOutputEncoding = UTF-8
[color]
	ui = false
`

// taken are the keys of [core] that define how files on disk become texts of the
// repository.
var taken = []string{"autocrlf", "eol", "filemode", "ignorecase", "symlinks", "precomposeunicode", "longpaths", "checkstat", "trustctime"}

// word matches a value that is no program, file or address.
var word = lazyregexp.New(`^[a-zA-Z0-9]{1,16}$`)

// chosen returns the settings for the private repository, and caches them.
func (r *Repo) chosen(ctx context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.settings != "" {
		return r.settings, nil
	}
	values, err := r.personal(ctx)
	if err != nil {
		return "", err
	}
	maps.Copy(values, r.found.Values("core"))
	text := base + "[core]\n"
	for _, key := range taken {
		if word().MatchString(values[key]) {
			text += "\t" + key + " = " + values[key] + "\n"
		}
	}
	if ignore := r.ignoreFile(); ignore != "" {
		text += "\texcludesFile = " + strconv.Quote(filepath.ToSlash(ignore)) + "\n"
	}
	text += "[extensions]\n"
	extensions := r.found.Values("extensions")
	for _, key := range []string{"objectformat", "refstorage"} {
		if word().MatchString(extensions[key]) {
			text += "\t" + key + " = " + extensions[key] + "\n"
		}
	}
	r.settings = text
	return text, nil
}

// personal returns the user's and the system's settings in [core], by key in lower case. It asks
// Git, since the user's settings may include other files.
func (r *Repo) personal(ctx context.Context) (values map[string]string, err error) {
	v, err := r.openWith(ctx, headOnly, base)
	if err != nil {
		return nil, err
	}
	defer v.close()
	v.env = asUser(v.env)
	out, err := v.git(nil, 64<<10, "config", "-z", "--get-regexp", `^core\.(`+strings.Join(taken, "|")+`)$`)
	if err != nil && exitCode(err) != 1 { // exit code 1: there is no such setting
		return nil, err
	}
	values = map[string]string{}
	for entry := range strings.SplitSeq(string(out.text), "\x00") {
		name, value, ok := strings.Cut(entry, "\n")
		key, isCore := strings.CutPrefix(name, "core.")
		if !isCore {
			continue
		}
		if !ok {
			value = "true"
		}
		values[key] = value
	}
	return values, nil
}

// asUser returns an environment with the variables through which Git finds the settings
// of the user and the system.
func asUser(env []string) []string {
	names := []string{"HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"}
	env = slices.DeleteFunc(env, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(names, name)
	})
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// ignoreFile returns the user's file of ignore patterns if Git can read it without
// waiting. It is the one by which package workspace decides what to list.
func (r *Repo) ignoreFile() string {
	home, _ := os.UserHomeDir()
	name := r.found.IgnoreFile(home, r.top)
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return name
}

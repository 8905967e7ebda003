package trial

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/workspace/git"
	"redline/workspace/gitrepo"
)

// history is what is known of a repository.
type history struct {
	state   string   // of its refs, its reflogs and its index
	rules   string   // the user's list of secret files
	objects []string // the texts of secret files
	known   bool     // they could be found out
}

// secretObjects returns the texts that secret files ever had in the repository of dir, as hashes
// of their objects. known is false if it could not find out, because the history is too long or
// the repository is one that Redline does not read.
func (t *Trials) secretObjects(ctx context.Context, dir string, r gitrepo.Repository) (objects []string, known bool) {
	now := history{state: stateOf(r), rules: t.ignored()}
	t.mu.Lock()
	was := t.histories[dir]
	t.mu.Unlock()
	if was.state == now.state && was.rules == now.rules {
		return was.objects, was.known
	}
	repo, err := git.At(dir, t.ws.Leftovers())
	if err == nil {
		now.objects, err = repo.AllObjects(ctx, func(path string) bool { return t.secretIn(dir, path) })
	}
	now.known = err == nil || errors.Is(err, git.ErrNoGit) // no command has one either
	if ctx.Err() == nil {
		t.mu.Lock()
		t.histories[dir] = now
		t.mu.Unlock()
	}
	return now.objects, now.known
}

// secretIn reports whether a file of the repository of dir is secret by its name.
func (t *Trials) secretIn(dir, path string) bool {
	folders := t.ws.Folders()
	for _, f := range folders {
		rel, err := filepath.Rel(realOf(f.Dir), filepath.Join(realOf(dir), filepath.FromSlash(path)))
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		path := filepath.ToSlash(rel)
		if len(folders) > 1 {
			path = f.Name + "/" + path
		}
		return t.ws.SecretByName(path) || t.ws.OffLimits(path) != nil
	}
	return false
}

func realOf(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// ignored returns the user's lists of secret files.
func (t *Trials) ignored() string {
	var b strings.Builder
	for _, f := range t.ws.Folders() {
		text, _ := os.ReadFile(filepath.Join(f.Dir, ".redline", "ignore")) // none
		b.Write(append(text, 0))
	}
	return b.String()
}

// stateOf describes the files of a repository that name its objects. It changes when they do.
func stateOf(r gitrepo.Repository) string {
	var b strings.Builder
	own, common := r.Dirs()
	for _, dir := range slices.Compact([]string{own, common}) {
		for _, name := range []string{"HEAD", "index", "packed-refs", "reftable", "refs", "logs"} {
			_ = filepath.WalkDir(filepath.Join(dir, name), func(name string, e fs.DirEntry, err error) error {
				if err != nil {
					return nil //nolint:nilerr // it is not there
				}
				if info, err := e.Info(); err == nil {
					fmt.Fprintf(&b, "%s %d %d %v\n", name, info.Size(), info.ModTime().UnixNano(), info.Mode())
				}
				return nil
			})
		}
	}
	return b.String()
}

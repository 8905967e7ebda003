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
	refs, index string   // their state
	rules       string   // the user's list of secret files
	committed   []string // the texts of secret files in commits, as hashes of objects
	staged      []string // those in the index
	known       bool     // they could be found out
}

// secretObjects returns the texts that secret files ever had in the repository of dir, as hashes
// of their objects. known is false if it could not find out, because the history is too long or
// the repository is one that Redline does not read.
func (t *Trials) secretObjects(ctx context.Context, dir string, r gitrepo.Repository) (objects []string, known bool) {
	now := history{refs: stateOf(r, "HEAD", "packed-refs", "reftable", "refs", "logs"), index: stateOf(r, "index"), rules: t.ignored()}
	t.mu.Lock()
	was := t.histories[dir]
	t.mu.Unlock()
	same := was.refs == now.refs && was.rules == now.rules
	if same && (was.index == now.index || !was.known) {
		return slices.Concat(was.committed, was.staged), was.known
	}
	secret := func(path string) bool { return t.secretIn(dir, path) }
	repo, err := git.At(dir, t.ws.Leftovers())
	if err == nil && !same {
		now.committed, err = repo.AllObjects(ctx, secret)
	} else {
		now.committed = was.committed
	}
	if err == nil {
		now.staged, err = repo.StagedObjects(ctx, secret)
	}
	now.known = err == nil || errors.Is(err, git.ErrNoGit) // no command has one either
	if ctx.Err() == nil {
		t.mu.Lock()
		t.histories[dir] = now
		t.mu.Unlock()
	}
	return slices.Concat(now.committed, now.staged), now.known
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

// stateOf describes files and folders of a repository. It changes when they do.
func stateOf(r gitrepo.Repository, names ...string) string {
	var b strings.Builder
	own, common := r.Dirs()
	for _, dir := range slices.Compact([]string{own, common}) {
		for _, name := range names {
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

package trial

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"redline/workspace"
	"redline/workspace/git"
	"redline/workspace/gitrepo"
	"redline/workspace/world"
)

// lookThrough looks through the histories of the workspace's repositories, so that showGit need not. links
// are those of the workspace.
func (s *worlds) lookThrough(ctx context.Context, links []string) {
	for _, f := range s.ws.Folders() {
		if r, ok := gitrepo.Of(f.Dir); ok {
			_, _ = s.secretObjects(ctx, f.Dir, r, links)
		}
	}
}

// history is what is known of a repository. All processes know it, see [workspace.Own.Keep].
type history struct {
	Refs, Index string   // their state
	Rules       string   // what decides which names are secret
	Committed   []string // the texts of secret files in commits, as hashes of objects
	Staged      []string // those in the index
	Known       bool     // they could be found out
}

// historiesFile has the histories of the repositories that were looked at last, by their folders.
const historiesFile = "git.names"

// maxHistories is how many there are.
const maxHistories = 200

// secretObjects returns the texts that secret files ever had in the repository of dir, as hashes
// of their objects. known is false if it could not find out, because the history is too long or
// the repository is one that Redline does not read.
func (s *worlds) secretObjects(ctx context.Context, dir string, r gitrepo.Repository, links []string) (objects []string, known bool) {
	mounts := world.MountPoints()
	decides, lasting := s.ws.SecretNamesBy(mounts)
	now := history{Rules: sumOf(slices.Concat(links, []string{s.ignored(), decides})...)}
	var changed, staged time.Time
	now.Refs, changed = stateOf(r, "HEAD", "packed-refs", "reftable", "refs", "logs", "shallow")
	now.Index, staged = stateOf(r, "index")
	s.mu.Lock()
	was, met := s.histories[dir]
	s.mu.Unlock()
	repo, err := git.At(dir, s.ws.Leftovers())
	if !met && lasting && err == nil {
		was = s.kept()[dir]
	}
	same := was.Refs == now.Refs && was.Rules == now.Rules
	if same && (!was.Known && met || was.Known && was.Index == now.Index && err == nil) {
		s.remember(dir, was)
		return slices.Concat(was.Committed, was.Staged), was.Known
	}
	secret := s.secretIn(dir, mounts)
	if err == nil && !same {
		now.Committed, err = repo.AllObjects(ctx, secret)
	} else {
		now.Committed = was.Committed
	}
	if err == nil {
		now.Staged, err = repo.StagedObjects(ctx, secret)
	}
	now.Known = err == nil || errors.Is(err, git.ErrNoGit) // no command has one either
	if ctx.Err() == nil {
		s.remember(dir, now)
		// What has changed just now may change again without another state.
		if err == nil && lasting && time.Since(changed).Abs() > settled && time.Since(staged).Abs() > settled {
			s.keep(dir, now)
		}
	}
	return slices.Concat(now.Committed, now.Staged), now.Known
}

// settled is how long ago a file must have changed for its state to tell whether it changes again.
const settled = 2 * time.Second

func (s *worlds) remember(dir string, h history) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.histories[dir] = h
}

// kept returns the histories that earlier processes have kept.
func (s *worlds) kept() (of map[string]history) {
	if !s.ws.Own().Kept(historiesFile, &of) {
		return nil
	}
	return of
}

// keep keeps a history for the next process.
func (s *worlds) keep(dir string, h history) {
	of := s.kept()
	if of == nil || len(of) >= maxHistories {
		of = map[string]history{}
	}
	of[dir] = h
	s.ws.Own().Keep(historiesFile, of)
}

// sumOf returns a text that differs for other texts.
func sumOf(texts ...string) string {
	sum := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(sum, "%d %s", len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// secretIn returns a function that reports whether a file of the repository of dir is secret by its
// name. It is asked for each name of a history, so it looks up the folders once, and each name once.
func (s *worlds) secretIn(dir string, mounts map[string]bool) func(path string) bool {
	dir = realOf(dir)
	folders := s.ws.Folders()
	real := make([]string, len(folders))
	for i, f := range folders {
		real[i] = realOf(f.Dir)
	}
	secret := s.ws.SecretNames(mounts)
	known := map[string]bool{}
	return func(path string) bool {
		is, asked := known[path]
		if asked {
			return is
		}
		for i, f := range folders {
			name, in := strings.CutPrefix(dir+"/"+path, strings.TrimSuffix(real[i], "/")+"/")
			if !in {
				continue
			}
			if len(folders) > 1 {
				name = f.Name + "/" + name
			}
			is = secret(name)
			break
		}
		known[path] = is
		return is
	}
}

// ignored returns the user's lists of secret files.
func (s *worlds) ignored() string {
	var b strings.Builder
	for _, f := range s.ws.Folders() {
		text, _ := os.ReadFile(filepath.Join(f.Dir, ".redline", "ignore")) // none
		b.Write(append(text, 0))
	}
	return b.String()
}

// stateOf describes files and folders of a repository. It changes when they do. changed is when one did last.
func stateOf(r gitrepo.Repository, names ...string) (state string, changed time.Time) {
	var b strings.Builder
	own, common := r.Dirs()
	for _, dir := range slices.Compact([]string{own, common}) {
		for _, name := range names {
			_ = filepath.WalkDir(filepath.Join(dir, name), func(name string, _ fs.DirEntry, err error) error {
				if err != nil {
					return nil //nolint:nilerr // it is not there
				}
				if is, err := workspace.StateOf(name); err == nil {
					fmt.Fprintf(&b, "%s %s\n", name, is)
					for _, at := range []time.Time{is.Changed(), is.Modified()} {
						if at.After(changed) {
							changed = at
						}
					}
				}
				return nil
			})
		}
	}
	return sumOf(b.String()), changed
}

package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Limits of a look at all of a history.
const (
	maxLook           = 10 * time.Second
	maxHistoryChanges = 256 << 20 // bytes of the list of all changes
	maxLogs           = 16 << 20  // bytes of all reflogs
	maxSelected       = 2000
)

// ErrTooMuch is the error if a repository has more than can be looked at.
var ErrTooMuch = errors.New("the history of the Git repository is too long to look through")

// AllObjects returns the texts that the repository ever had under the paths that selected
// reports, as hashes of their objects: in every commit that a ref or a reflog leads to. Paths
// are slash-separated and relative to the root of the worktree.
func (r *Repo) AllObjects(ctx context.Context, selected func(path string) bool) ([]string, error) {
	if _, err := os.Lstat(filepath.Join(r.common, "reftable")); err == nil {
		return nil, fmt.Errorf("%w: its refs are in tables", ErrTooMuch)
	}
	return r.look(ctx, selected, func(v *view, add func(path string, objects ...string)) error {
		tips, err := v.logged()
		if err != nil {
			return err
		}
		// -m shows what a merge changes, besides both of its parents.
		changes, err := v.git(strings.NewReader(tips), maxHistoryChanges, "log", "--stdin", "--ignore-missing", "--all", "--raw", "-m", "-z", "--root",
			"--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--no-color", "--no-show-signature", "--no-notes", "--ignore-submodules=all", "--format=")
		if err != nil || changes.cut {
			return cmp.Or(err, ErrTooMuch)
		}
		fields := strings.Split(string(changes.text), "\x00")
		for i := 0; i+1 < len(fields); i++ { // ":100644 100644 HASH HASH M", then the path
			if f := strings.Fields(strings.TrimLeft(fields[i], "\n")); len(f) == 5 && strings.HasPrefix(f[0], ":") {
				i++
				add(fields[i], f[2], f[3])
			}
		}
		return nil
	})
}

// StagedObjects is AllObjects for the index below the workspace folder.
func (r *Repo) StagedObjects(ctx context.Context, selected func(path string) bool) ([]string, error) {
	return r.look(ctx, selected, func(v *view, add func(path string, objects ...string)) error {
		staged, err := v.git(nil, maxHistoryChanges, "ls-files", "--stage", "-z", "--full-name")
		if err != nil || staged.cut {
			return cmp.Or(err, ErrTooMuch)
		}
		for entry := range strings.SplitSeq(string(staged.text), "\x00") { // "100644 HASH 0\tPATH"
			about, path, ok := strings.Cut(entry, "\t")
			if f := strings.Fields(about); ok && len(f) == 3 {
				add(path, f[1])
			}
		}
		return nil
	})
}

// look returns the objects that find adds for selected paths.
func (r *Repo) look(ctx context.Context, selected func(path string) bool, find func(v *view, add func(path string, objects ...string)) error) ([]string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxLook, ErrTooMuch)
	defer cancel()
	v, err := r.open(ctx, allRefs)
	if err != nil {
		return nil, err
	}
	defer v.close()
	known, found := map[string]bool{}, map[string]bool{}
	err = find(v, func(path string, objects ...string) {
		is, ok := known[path]
		if !ok {
			is = selected(path)
			known[path] = is
		}
		for _, o := range objects {
			if is && strings.Trim(o, "0") != "" {
				found[o] = true
			}
		}
	})
	if err == nil && len(found) > maxSelected {
		err = ErrTooMuch
	}
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// logged returns the commits in the reflogs, one a line: an amended or dropped commit is only
// there.
func (v *view) logged() (string, error) {
	seen, room := map[string]bool{}, int64(maxLogs)
	for _, dir := range []string{v.own, v.common} {
		in, err := os.OpenRoot(dir)
		if err != nil {
			return "", err
		}
		defer in.Close()
		err = fs.WalkDir(in.FS(), "logs", func(name string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return nil //nolint:nilerr // there are none
			}
			f, ok := openRegular(in, name, room)
			if !ok {
				return ErrTooMuch
			}
			defer f.Close()
			text, err := fs.ReadFile(in.FS(), name)
			if err != nil {
				return err
			}
			room -= int64(len(text))
			for line := range strings.Lines(string(text)) {
				for _, o := range strings.Fields(line)[:min(2, len(strings.Fields(line)))] {
					seen[o] = hash().MatchString(o) && strings.Trim(o, "0") != ""
				}
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	var b strings.Builder
	for o, ok := range seen {
		if ok {
			b.WriteString(o + "\n")
		}
	}
	return b.String(), nil
}

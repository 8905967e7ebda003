package trial

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"redline/workspace/gitrepo"
	"redline/workspace/runner"
	"redline/workspace/world"
)

// showGit adds to a world what Git needs: the repositories of the workspace that are elsewhere,
// and the user's name for commits. It removes credentials from the settings and the logs of each
// repository, also of those below the workspace's folders, and has Git leave out the texts that
// files with secrets ever had.
func (t *Trials) showGit(ctx context.Context, w *world.World, below []string) {
	w.Tools = slices.Clone(w.Tools)
	for _, dir := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(w.Folders, below)))) {
		if r, ok := gitrepo.Of(dir); ok {
			t.showRepository(ctx, w, dir, r)
		}
	}
	if info, err := os.Stat(w.Home); err != nil || !info.IsDir() {
		return
	}
	w.Hidden = append(w.Hidden, gitrepo.OtherPersonal(w.Home)) // the workspace may be the home folder
	own, personal := filepath.Join(w.Home, ".gitconfig"), gitrepo.Personal(w.Home, w.Folders)
	if _, err := os.Lstat(own); err == nil || personal != "" {
		w.Changes = append(w.Changes, world.Change{Path: own, Text: []byte(personal)})
	}
}

// showRepository adds the repository of dir to a world. Where what is secret in it cannot be
// removed, Git finds no repository there.
func (t *Trials) showRepository(ctx context.Context, w *world.World, dir string, r gitrepo.Repository) {
	cleaned, secret := r.Settings()
	changes := map[string][]byte{}
	for name, text := range cleaned {
		changes[name] = []byte(text)
	}
	known := true
	if isIn(dir, w.Folders) {
		var objects []string
		objects, known = t.secretObjects(ctx, dir, r)
		maps.Copy(changes, r.Replaced(objects))
	}
	kind, _ := runner.Apart()
	if !known || kind == world.Bwrap && len(changes) > 0 && !isIn(r.Folders()[0], w.Folders) { // which is read-only there
		w.Hidden = append(w.Hidden, filepath.Join(dir, ".git"))
		return
	}
	if slices.Contains(w.Folders, dir) {
		w.Tools = append(w.Tools, r.Folders()...)
	}
	w.Hidden = append(w.Hidden, secret...)
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		w.Changes = append(w.Changes, world.Change{Path: name, Text: changes[name]})
	}
}

// isIn reports whether a file is in one of the folders.
func isIn(name string, folders []string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		rel, err := filepath.Rel(f, name)
		return err == nil && filepath.IsLocal(rel)
	})
}

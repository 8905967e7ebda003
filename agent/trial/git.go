package trial

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"redline/workspace/gitrepo"
	"redline/workspace/world"
)

// showGit adds to a world what Git needs: the repositories of the workspace that are elsewhere,
// and the user's name for commits. It removes credentials from the settings.
func showGit(w *world.World) {
	w.Tools = slices.Clone(w.Tools)
	for _, dir := range w.Folders {
		r, ok := gitrepo.Of(dir)
		if !ok {
			continue
		}
		w.Tools = append(w.Tools, r.Folders()...)
		cleaned, secret := r.Settings()
		w.Hidden = append(w.Hidden, secret...)
		for _, name := range slices.Sorted(maps.Keys(cleaned)) {
			w.Changes = append(w.Changes, world.Change{Path: name, Text: []byte(cleaned[name])})
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

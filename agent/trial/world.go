package trial

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
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"redline/agent/brief"
	"redline/agent/view"
	"redline/workspace"
	"redline/workspace/gitrepo"
	"redline/workspace/runner"
	"redline/workspace/secrets"
	"redline/workspace/toolfolders"
	"redline/workspace/world"
)

// worlds makes the worlds of a workspace: what a command that is tried can see of the machine. It
// runs nothing.
type worlds struct {
	ws       *workspace.Workspace
	options  Options
	programs *world.Programs

	mu        sync.Mutex
	histories map[string]history // by the folder with a .git
}

// home returns the user's home folder, "" if there is none to hide.
func (o Options) home() string {
	home, _ := os.UserHomeDir()
	return cmp.Or(o.Home, home)
}

// newWorld returns a world with the folders of the workspace, and what its commands must not see. programs are
// absolute names of programs that they need, besides those of PATH.
func (s *worlds) newWorld(ctx context.Context, programs []string) (*world.World, workspace.Hidden, error) {
	w := &world.World{
		Tools: s.tools(), Home: s.options.home(),
		Disk:      cmp.Or(s.options.Disk, usualDisk),
		Memory:    cmp.Or(s.options.Memory, usualMemory),
		Processes: cmp.Or(s.options.Processes, usualProcesses),
	}
	for _, f := range s.ws.Folders() {
		w.Folders = append(w.Folders, f.Dir)
	}
	if len(w.Folders) == 0 {
		return nil, workspace.Hidden{}, errors.New("no folder is open")
	}
	found, err := s.ws.SecretFiles(ctx, func(out workspace.Ways) []string {
		s.showPrograms(w, out, programs)
		return slices.Concat(w.Tools, w.Programs)
	})
	return w, found, err
}

// showPrograms adds what programs need to a world: what the folders of PATH and the workspace lead
// to, and the settings of tools. Caches that the workspace leads to become tools, which a build can write.
// programs are absolute names of programs whose folders count as if PATH named them.
func (s *worlds) showPrograms(w *world.World, out workspace.Ways, programs []string) {
	m := s.Machine()
	var elsewhere []string
	for _, f := range s.ws.Folders() {
		path := f.Name
		if s.ws.Single() {
			path = ""
		}
		elsewhere = append(elsewhere, m.Elsewhere(path)...)
	}
	path := filepath.SplitList(os.Getenv("PATH"))
	for _, name := range programs {
		path = append(path, filepath.Dir(name))
	}
	needs := s.programs.Needed(world.Ways{
		Path: path, Workspaces: s.roots(), Tools: w.Tools,
		Links: out.Links, Environments: out.Environments, Elsewhere: elsewhere,
	})
	w.Programs, w.Links = slices.Concat(needs.Programs, world.Outside(toolfolders.Settings(), s.roots())), needs.Links
	w.Tools = append(w.Tools, needs.Caches...)
}

// Shows returns why a copy cannot have a program, by its absolute name, as a sentence; nil if it can.
func (s *worlds) Shows(program string) error {
	if s.programs.Seen(program, s.roots(), s.tools()) {
		return nil
	}
	return fmt.Errorf("its program %s cannot be shown in a copy, since its folder may hold other things of yours. Put it into a folder of its own", program)
}

// tools returns the folders of tools that trials see.
func (s *worlds) tools() []string {
	return world.Outside(world.Shown(s.options.Tools, []string{s.options.home()}), s.roots())
}

// roots returns the folders of the workspace, by all their names.
func (s *worlds) roots() (names []string) {
	for _, f := range s.ws.Folders() {
		names = append(names, f.Dir)
		if real, err := filepath.EvalSymlinks(f.Dir); err == nil && real != f.Dir {
			names = append(names, real)
		}
	}
	return names
}

// Machine returns the programs that commands of this workspace can start, in trials too.
func (s *worlds) Machine() brief.Machine {
	roots, tools := s.roots(), sync.OnceValue(s.tools)
	return brief.ThisMachine(s.ws, func(name string) bool { return s.programs.Seen(name, roots, tools()) })
}

// withoutShown returns the hidden names without those that the user's setting trials.show names: a
// key that tests need. What is off limits stays hidden.
func (s *worlds) withoutShown(names []string) []string {
	if len(s.options.Show) == 0 {
		return names
	}
	return slices.DeleteFunc(names, func(name string) bool {
		path, inside := s.pathOf(name)
		return inside && s.shown(path)
	})
}

// shown reports whether trials.show names a file of the workspace.
func (s *worlds) shown(path string) bool {
	return s.ws.OffLimits(path) == nil && slices.ContainsFunc(s.options.Show, func(glob string) bool {
		ok, err := doublestar.Match(glob, path)
		return err == nil && ok
	})
}

// pathOf returns the workspace path of a file by its absolute name without links.
func (s *worlds) pathOf(name string) (path string, inside bool) {
	folders := s.ws.Folders()
	for _, f := range folders {
		dir, _ := workspace.OwnerOf(f.Dir)
		rel, err := filepath.Rel(dir, name)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if len(folders) > 1 {
			rel = filepath.Join(f.Name, rel)
		}
		return filepath.ToSlash(rel), true
	}
	return "", false
}

// showGit adds to a world what Git needs: the repositories of the workspace that are elsewhere,
// and the user's name for commits. It removes credentials from the settings and the logs of each
// repository, also of those below the workspace's folders, and has Git leave out the texts that
// files with secrets ever had.
func (s *worlds) showGit(ctx context.Context, w *world.World, found workspace.Hidden) {
	w.Tools = slices.Clone(w.Tools)
	for _, dir := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(w.Folders, found.Repositories)))) {
		if r, ok := gitrepo.Of(dir); ok {
			s.showRepository(ctx, w, dir, r, found.Links)
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
func (s *worlds) showRepository(ctx context.Context, w *world.World, dir string, r gitrepo.Repository, links []string) {
	cleaned, secret := r.Settings()
	changes := map[string][]byte{}
	for name, text := range cleaned {
		changes[name] = []byte(text)
	}
	known := true
	if isIn(dir, w.Folders) {
		var objects []string
		objects, known = s.secretObjects(ctx, dir, r, links)
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

func realOf(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// withholds reports whether what runs in a world must not see a text: it may hold secrets.
func withholds(s *worlds, path, text string) bool {
	return !s.shown(path) && (s.ws.OffLimits(path) != nil || s.ws.SecretByName(path) || !secrets.Code(path) && secrets.Text(path, text))
}

// change adds the texts to a world: those that may hold secrets to what it hides, the others to
// its changes. Deleted files come first, since a folder may replace one.
func (s *worlds) change(w *world.World, texts view.TriedTexts) error {
	var gone, kept []world.Change
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		name, err := s.ws.RealName(path)
		if err != nil {
			return err
		}
		text := texts[path]
		if withholds(s, path, text.Text) {
			w.Hidden = append(w.Hidden, name)
			continue
		}
		if text.Gone {
			gone = append(gone, world.Change{Path: name, Gone: true, Mode: text.Mode & fs.ModePerm})
		} else {
			kept = append(kept, world.Change{Path: name, Mode: text.Mode & fs.ModePerm, Text: s.ws.Content(path, text.Text, text.BOM)})
		}
	}
	w.Changes = slices.Concat(w.Changes, gone, kept)
	return nil
}

package trial

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"redline/agent/brief"
	"redline/workspace"
	"redline/workspace/toolfolders"
	"redline/workspace/world"
)

// home returns the user's home folder, "" if there is none to hide.
func (o Options) home() string {
	home, _ := os.UserHomeDir()
	return cmp.Or(o.Home, home)
}

// showPrograms adds what programs need to a world: what the folders of PATH and the workspace lead
// to, and the settings of tools. Caches that the workspace leads to become tools, which a build can write.
func (t *Trials) showPrograms(w *world.World, out workspace.Ways) {
	m := t.Machine()
	var elsewhere []string
	for _, f := range t.ws.Folders() {
		path := f.Name
		if t.ws.Single() {
			path = ""
		}
		elsewhere = append(elsewhere, m.Elsewhere(path)...)
	}
	needs := t.programs.Needed(world.Ways{
		Path: filepath.SplitList(os.Getenv("PATH")), Workspaces: t.roots(), Tools: w.Tools,
		Links: out.Links, Environments: out.Environments, Elsewhere: elsewhere,
	})
	w.Programs, w.Links = slices.Concat(needs.Programs, world.Outside(toolfolders.Settings(), t.roots())), needs.Links
	w.Tools = append(w.Tools, needs.Caches...)
}

// tools returns the folders of tools that trials see.
func (t *Trials) tools() []string {
	return world.Outside(world.Shown(t.options.Tools, []string{t.options.home()}), t.roots())
}

// roots returns the folders of the workspace, by all their names.
func (t *Trials) roots() (names []string) {
	for _, f := range t.ws.Folders() {
		names = append(names, f.Dir)
		if real, err := filepath.EvalSymlinks(f.Dir); err == nil && real != f.Dir {
			names = append(names, real)
		}
	}
	return names
}

// Machine returns the programs that commands of this workspace can start, in trials too.
func (t *Trials) Machine() brief.Machine {
	roots, tools := t.roots(), sync.OnceValue(t.tools)
	return brief.MachineHere(t.ws, func(name string) bool { return t.programs.Seen(name, roots, tools()) })
}

package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"redline/workspace"
	"redline/workspace/runner"
	"redline/workspace/world"
)

// beginning is what the host had in a workspace just before a command started in its copy. The copy shows
// what the host does meanwhile, or does not: only what is the same before and after is known to be what
// the command found.
type beginning struct {
	roots  []string
	states map[string]workspace.FileState // of the roots
	had    map[string]*folderList         // by absolute names
	stayer map[string]bool                // what stayed has found, by folders
}

// folderList is what a folder had.
type folderList struct {
	names  []string // sorted
	states []workspace.FileState
}

// maxListed is how many files a workspace may have.
const maxListed = 2_000_000

// outside is why a change is not carried.
const outside = "it was changed outside of the copy while the command ran"

// begin returns what the host has in the workspace, except in the folders of git and of Redline and, unless
// some of it is included, in those that git ignores. From then on the rules of what git ignores stay as they
// are. It returns once any change would be seen.
func (x *capture) begin(ctx context.Context) (*beginning, error) {
	l := &lister{
		capture: x, slots: make(chan bool, runtime.GOMAXPROCS(0)),
		found: beginning{states: map[string]workspace.FileState{}, had: map[string]*folderList{}, stayer: map[string]bool{}},
	}
	for _, f := range x.ws.Folders() {
		root := realOf(f.Dir)
		l.found.roots = append(l.found.roots, root)
		state, err := workspace.StateOf(root)
		if err != nil || !state.IsDir() {
			continue // nothing is there
		}
		l.found.states[root] = state
		l.ticks.Saw(state.Changed())
		if at, _ := x.pathOf(root); !l.skips(at) {
			l.list(ctx, root, at)
		}
	}
	l.tasks.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case l.count > maxListed:
		return nil, fmt.Errorf("the workspace has more than %d files", maxListed)
	}
	x.ignoring.Fix()
	return &l.found, l.ticks.Wait(ctx)
}

// early is what can be found out about the workspace before it is known whether a command may run.
type early struct {
	tasks  sync.WaitGroup
	ctx    context.Context
	cancel context.CancelFunc

	world            *world.World
	secret           workspace.Hidden
	begun, worldless error
}

// early lists what the host has, what is secret of it, and what was in the histories of its repositories, all
// at the same time. The caller must end it.
func (x *capture) early(ctx context.Context, programs []string) *early {
	e := &early{}
	e.ctx, e.cancel = context.WithCancel(ctx)
	e.tasks.Go(func() { x.start, e.begun = x.begin(e.ctx) })
	e.tasks.Go(func() {
		if e.world, e.secret, e.worldless = x.newWorld(e.ctx, programs); e.worldless == nil {
			x.lookThrough(e.ctx, e.secret.Links)
		}
	})
	return e
}

// end ends what is not finished.
func (e *early) end() {
	e.cancel()
	e.tasks.Wait()
}

// prepare returns how the command is run.
func (x *capture) prepare(ctx context.Context, e *early, c Command) (runner.Command, error) {
	e.tasks.Wait()
	if err := cmp.Or(e.worldless, e.begun); err != nil {
		return runner.Command{}, err
	}
	command, _, err := x.command(ctx, e.world, e.secret, c, x.texts, false)
	if err != nil {
		return command, err
	}
	command.World.Hidden = slices.Concat(command.World.Hidden, world.Private())
	x.hidden = bothNames(command.World.Hidden)
	for _, c := range command.World.Changes {
		x.given[c.Path] = true
	}
	return command, nil
}

// lister lists folders, as many at a time as there are processors.
type lister struct {
	*capture
	slots chan bool // a goroutine in each
	tasks sync.WaitGroup

	mu    sync.Mutex
	found beginning
	ticks world.Ticks
	count int
}

// list lists a folder and those in it. at is its path. It leaves out what is gone or what the command cannot
// see either.
func (l *lister) list(ctx context.Context, dir, at string) {
	had := &folderList{}
	had.names, had.states, _ = workspace.ListFolder(dir)
	had.keep(func(name string, state workspace.FileState) bool {
		return !state.IsDir() || !l.skips(path.Join(at, name))
	})
	if !l.add(ctx, dir, had) {
		return
	}
	for i, name := range had.names {
		if !had.states[i].IsDir() {
			continue
		}
		below, at := filepath.Join(dir, name), path.Join(at, name)
		select {
		case l.slots <- true:
			l.tasks.Go(func() {
				defer func() { <-l.slots }()
				l.list(ctx, below, at)
			})
		default:
			l.list(ctx, below, at)
		}
	}
}

// skips reports whether a folder is not listed.
func (l *lister) skips(at string) bool {
	return ownFolder(at) != "" || l.ignoring.Folder(at) && len(l.include) == 0
}

// add notes what a folder has. It reports whether to go on.
func (l *lister) add(ctx context.Context, dir string, had *folderList) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found.had[dir] = had
	l.count += len(had.names)
	for _, state := range had.states {
		l.ticks.Saw(state.Changed())
	}
	return l.count <= maxListed && ctx.Err() == nil
}

// keep sorts the names and drops those that are not to be kept.
func (f *folderList) keep(kept func(name string, state workspace.FileState) bool) {
	var order []int
	for i, name := range f.names {
		if kept(name, f.states[i]) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(f.names[a], f.names[b]) })
	names, states := make([]string, len(order)), make([]workspace.FileState, len(order))
	for to, from := range order {
		names[to], states[to] = f.names[from], f.states[from]
	}
	f.names, f.states = names, states
}

// of returns the state that a name had.
func (b *beginning) of(name string) (was workspace.FileState, had bool) {
	if was, had := b.states[name]; had {
		return was, true
	}
	in := b.had[filepath.Dir(name)]
	if in == nil {
		return was, false
	}
	at, had := slices.BinarySearch(in.names, filepath.Base(name))
	if !had {
		return was, false
	}
	return in.states[at], true
}

// has reports whether the host has at a name what it had when the command started, or nothing in both
// cases. A folder that the file is in may have been another one for a while all the same, see stayed.
func (b *beginning) has(name string) bool {
	was, had := b.of(name)
	now, err := workspace.StateOf(name)
	if err != nil {
		return !had && errors.Is(err, fs.ErrNotExist)
	}
	return had && was.Same(now)
}

// below returns the names of the files that there were in a folder, or the name itself if it was no folder.
func (b *beginning) below(name string) (names []string) {
	was, had := b.of(name)
	switch {
	case !had:
		return nil
	case !was.IsDir():
		return []string{name}
	}
	in := b.had[name]
	if in == nil { // git ignores it
		return nil
	}
	for i, inner := range in.names {
		if inner = filepath.Join(name, inner); in.states[i].IsDir() {
			names = append(names, b.below(inner)...)
		} else {
			names = append(names, inner)
		}
	}
	return names
}

// stayed reports whether all folders of the workspace that a file is in were the same ones all the time. To
// move or lock a folder changes its change time, and not when it was modified. What is written in it
// afterwards makes both equal again, but moving it has then changed the folder that it is in.
func (b *beginning) stayed(name string) bool {
	dir := filepath.Dir(name)
	is, known := b.stayer[dir]
	if !known {
		is = b.stays(dir)
		b.stayer[dir] = is
	}
	return is
}

func (b *beginning) stays(dir string) bool {
	isRoot := slices.Contains(b.roots, dir)
	if !isRoot && (dir == filepath.Dir(dir) || !b.stayed(dir)) {
		return false
	}
	was, had := b.of(dir)
	now, err := workspace.StateOf(dir)
	switch {
	case err != nil || !had:
		return !had && errors.Is(err, fs.ErrNotExist)
	case !was.SameFile(now):
		return false
	case was.Changed().Equal(now.Changed()):
		return true
	case !now.Changed().Equal(now.Modified()):
		return false
	case isRoot:
		return true
	}
	before, had := b.of(filepath.Dir(dir))
	above, err := workspace.StateOf(filepath.Dir(dir))
	return had && err == nil && above.Modified().Equal(before.Modified())
}

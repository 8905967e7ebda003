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
// the command found. Of the folders it has the states. Of the files it has the names, and the moment after
// which a change gives them a later change time; where the times do not tell, see [world.Since], it has the states
// of the files too.
type beginning struct {
	roots  []string
	states map[string]workspace.FileState // of the folders, and of the files on which something is mounted
	listed map[string]workspace.Listed    // by absolute names of folders
	since  *world.Since                   // nil: no times tell

	had    map[string]*folderList // what is in folders, as far as somebody asked, and where the times do not tell
	stayer map[string]bool        // what stayed has found, by folders
	mounts func() map[string]bool // where something is mounted now
}

// folderList is what a folder had.
type folderList struct {
	names  []string              // sorted
	is     []bool                // for each name whether it is that of a folder
	states []workspace.FileState // nil where the times tell
}

// maxListed is how many files a workspace may have.
const maxListed = 2_000_000

// outside is why a change is not carried.
const outside = "it was changed outside of the copy while the command ran"

// begin returns what the host has in the workspace, except in the folders of git and of Redline and, unless
// some of it is included, in those that git ignores. listed are the folders of the workspace. From then on the
// rules of what git ignores stay as they are. It returns once any change would be seen. The caller must close
// since.
func (x *capture) begin(ctx context.Context, listed map[string]workspace.Listed) (*beginning, error) {
	l := &lister{capture: x, slots: make(chan bool, runtime.GOMAXPROCS(0)), found: newBeginning(listed)}
	since, err := world.StartSince(ctx)
	if err == nil {
		l.found.since = since
	}
	for _, f := range x.ws.Folders() {
		l.found.roots = append(l.found.roots, realOf(f.Dir))
	}
	for name := range world.MountPoints() {
		if state, err := workspace.StateOf(name); err == nil && !state.IsDir() && isIn(name, l.found.roots) {
			l.found.states[name] = state
			l.ticks.Saw(state.Changed())
		}
	}
	for _, root := range l.found.roots {
		if is, known := listed[root]; known {
			l.found.states[root] = is.State
			l.ticks.Saw(is.State.Changed())
		}
		if at, _ := x.pathOf(root); !l.skips(at) {
			l.list(ctx, root, at)
		}
	}
	l.tasks.Wait()
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case l.count > maxListed:
		err = fmt.Errorf("the workspace has more than %d files", maxListed)
	default:
		x.ignoring.Fix()
		err = l.ticks.Wait(ctx)
	}
	return l.found, err
}

func newBeginning(listed map[string]workspace.Listed) *beginning {
	return &beginning{
		states: map[string]workspace.FileState{}, listed: listed, had: map[string]*folderList{}, stayer: map[string]bool{},
		mounts: sync.OnceValue(world.MountPoints),
	}
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

// early lists what the host has, what is secret of it, and what was in the histories of its repositories. The
// caller must end it.
func (x *capture) early(ctx context.Context, programs []string) *early {
	e := &early{}
	e.ctx, e.cancel = context.WithCancel(ctx)
	e.tasks.Go(x.ignoring.ReadAhead)
	e.tasks.Go(func() {
		if e.world, e.secret, e.worldless = x.newWorld(e.ctx, programs); e.worldless != nil {
			return
		}
		e.tasks.Go(func() { x.lookThrough(e.ctx, e.secret.Links) })
		x.start, e.begun = x.begin(e.ctx, e.secret.Listed)
	})
	return e
}

// end ends what is not finished, and what the beginning uses.
func (x *capture) end(e *early) {
	e.cancel()
	e.tasks.Wait()
	if x.start != nil {
		x.start.since.Close()
	}
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
	found *beginning
	ticks world.Ticks
	count int
}

// list lists a folder and those in it. at is its path. It leaves out what is gone or what the command cannot
// see either.
func (l *lister) list(ctx context.Context, dir, at string) {
	is, known := l.found.listed[dir]
	if !known {
		return
	}
	var had *folderList
	if l.found.since == nil || !l.found.since.Tells(dir, is.State.Changed()) {
		had = &folderList{}
		had.names, had.states, _ = workspace.ListFolder(dir)
		had.sort()
	}
	if !l.add(ctx, dir, is, had) {
		return
	}
	for _, name := range is.Folders {
		below, at := filepath.Join(dir, name), path.Join(at, name)
		if !l.found.listed[below].Ruled {
			l.ignoring.Unruled(at)
		}
		if l.skips(at) {
			continue
		}
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

// add notes what a folder has, and the states if there are any. It reports whether to go on.
func (l *lister) add(ctx context.Context, dir string, is workspace.Listed, had *folderList) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found.states[dir] = is.State
	l.ticks.Saw(is.State.Changed())
	l.count += is.Count()
	if had != nil {
		l.found.had[dir] = had
		for _, state := range had.states {
			l.ticks.Saw(state.Changed())
		}
	}
	return l.count <= maxListed && ctx.Err() == nil
}

// sort sorts the names, and notes which are those of folders.
func (f *folderList) sort() {
	order := make([]int, len(f.names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(f.names[a], f.names[b]) })
	names, states := make([]string, len(order)), make([]workspace.FileState, len(order))
	f.is = make([]bool, len(order))
	for to, from := range order {
		names[to], states[to] = f.names[from], f.states[from]
		f.is[to] = states[to].IsDir()
	}
	f.names, f.states = names, states
}

// in returns what there was in a folder, nil if that is not known.
func (b *beginning) in(dir string) *folderList {
	had := b.had[dir]
	if _, known := b.states[dir]; had != nil || !known {
		return had
	}
	folders := map[string]bool{}
	had = &folderList{}
	for name, isDir := range b.listed[dir].Names {
		had.names = append(had.names, name)
		if isDir {
			folders[name] = true
		}
	}
	slices.Sort(had.names)
	for _, name := range had.names {
		had.is = append(had.is, folders[name])
	}
	b.had[dir] = had
	return had
}

// of returns the place that a name had in its folder.
func (b *beginning) of(name string) (in *folderList, at int, had bool) {
	if in = b.in(filepath.Dir(name)); in == nil {
		return nil, 0, false
	}
	at, had = slices.BinarySearch(in.names, filepath.Base(name))
	return in, at, had
}

// has reports whether the host has at a name the file that it had when the command started, or nothing in both
// cases. A folder that the file is in may have been another one for a while all the same, see stayed.
func (b *beginning) has(name string) bool {
	in, at, had := b.of(name)
	now, err := workspace.StateOf(name)
	was, pinned := b.states[name]
	switch {
	case err != nil:
		return !had && errors.Is(err, fs.ErrNotExist)
	case !had:
		return false
	case pinned:
		return was.Same(now)
	case in.states != nil:
		return in.states[at].Same(now)
	}
	return !b.mounts()[name] && b.since.Unchanged(now.Changed())
}

// below returns the names of the files that there were in a folder, or the name itself if it was no folder.
func (b *beginning) below(name string) (names []string) {
	if in, at, had := b.of(name); !slices.Contains(b.roots, name) && (!had || !in.is[at]) {
		if had {
			names = []string{name}
		}
		return names
	}
	in := b.in(name)
	if in == nil { // git ignores it
		return nil
	}
	for _, inner := range in.names {
		names = append(names, b.below(filepath.Join(name, inner))...)
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
	was, had := b.states[dir]
	now, err := workspace.StateOf(dir)
	switch {
	case err != nil || !had:
		_, _, named := b.of(dir)
		return !had && !named && errors.Is(err, fs.ErrNotExist)
	case !was.SameFile(now):
		return false
	case was.Changed().Equal(now.Changed()):
		return true
	case !now.Changed().Equal(now.Modified()):
		return false
	case isRoot:
		return true
	}
	before, had := b.states[filepath.Dir(dir)]
	above, err := workspace.StateOf(filepath.Dir(dir))
	return had && err == nil && above.Modified().Equal(before.Modified())
}

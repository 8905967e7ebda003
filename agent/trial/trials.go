// Package trial runs commands on the texts that a plan would leave, before the plan is approved.
// A trial runs in an isolated environment (package workspace/world). Of what it writes only what cargo
// builds stays, for the next trial (package workspace/warm).
// The result goes to the model that asked for it, and to the user with the plan.
package trial

import (
	"context"
	"slices"
	"sync"
	"time"

	"redline/agent/board"
	"redline/agent/brief"
	"redline/agent/commands"
	"redline/agent/conversation"
	"redline/agent/preview"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/view"
	"redline/internal/tasks"
	"redline/workspace"
	"redline/workspace/runner"
	"redline/workspace/warm"
	"redline/workspace/world"
)

// Trials runs the trials of a session. Its methods may be called from any goroutine.
type Trials struct {
	*worlds
	session       *session.Session
	board         *board.Board
	previews      *preview.Previews
	conversations *conversation.Conversations
	forbidden     []func() // see Beside.OnForbidden

	mu        sync.Mutex
	baselines map[string]baseline // by command, folder and the texts without the plan's edits
	spent     map[string][]spent  // by command and folder: the last runs, the newest last
	stands    standing
	told      told
}

// Mode says where commands may be tried.
type Mode string

// The modes.
const (
	On  Mode = "on"  // wherever worlds are possible
	Ask Mode = "ask" // in workspaces for which the user has allowed it
	Off Mode = "off"
)

// Options configure trials. All but Mode may be zero.
type Options struct {
	Mode Mode

	// Command has how each command is run, except for its Line, Dir and World. Its timeout is 2
	// min by default. Unless TimeSet says that the user has set it, a command that is known to take
	// longer gets more, and a request for a trial may ask for more.
	runner.Command
	TimeSet bool

	Tools     []string // absolute folders outside the workspace that are visible; missing ones are left out
	Show      []string // patterns of workspace paths that are visible although they may hold secrets
	Hidden    []string // absolute names of files and folders that are hidden, besides those that hold secrets
	Home      string   // the user's home folder, "" for this process's
	Disk      int64    // how many bytes can be written, 0 for 1 GiB
	Memory    int64    // how many bytes of memory a trial, or each of its processes, can have; 0 for 4 GiB
	Processes int      // how many at a time, 0 for 2,000
	Most      int      // how many a turn may run, 0 for 8

	// Isolation is where programs run that may run in a plain copy: there if it is [IsolationCopy]; trials
	// never do. Plain has how their writes are limited there, as
	// far as the system can, Caches returns the absolute folders that they may write all the same (nil for
	// none), and CopyAlso has patterns of ignored files that the copy has.
	Isolation string
	Plain     runner.Command
	Caches    func() []string
	CopyAlso  []string

	Rules  *commands.Rules // the rules that deny approved commands and trials alike; nil for none
	Worlds func() error    // why worlds are impossible; nil means [runner.WorldsIn]

	// Kept keeps what cargo builds for the next trial; nil keeps nothing.
	Kept *warm.Keeper

	// Record and Replay are the directories in which the traffic with the model is recorded, or
	// from which it is replayed; "" for none. A replayed trial is not run.
	Record, Replay string

	// Run runs a command; nil means [runner.Run].
	Run func(ctx context.Context, c runner.Command, tell func(runner.Stream, string)) (runner.Outcome, error)
}

const (
	usualTime      = 2 * time.Minute
	usualDisk      = 1 << 30
	usualMemory    = 4 << 30
	usualProcesses = 2000
	usualMost      = 8
)

// New makes the trials of a session.
func New(s *session.Session, b *board.Board, pv *preview.Previews, c *conversation.Conversations, o Options) *Trials {
	if o.Worlds == nil {
		o.Worlds = func() error { return runner.WorldsNoted(s.Workspace.Leftovers()) }
	}
	if o.Run == nil {
		o.Run = runner.Run
	}
	switch {
	case o.Replay != "":
		o.Run = replayed(o.Replay)
	case o.Record != "":
		o.Run = recorded(o.Record, o.Run)
	}
	t := &Trials{
		worlds:  &worlds{ws: s.Workspace, options: o, programs: world.NewPrograms(o.home()), histories: map[string]history{}},
		session: s, board: b, previews: pv, conversations: c,
		baselines: map[string]baseline{}, spent: map[string][]spent{}, told: told{current: map[int][]string{}},
	}
	s.Workspace.Observe(func(e workspace.BufferEvent) {
		if e.Kind == workspace.SavedEvent {
			t.OnDisk([]string{e.Path})
		}
		t.compareSoon()
	})
	s.Observe(func(e state.Event) {
		if e.Kind == state.PlanChanged && e.Plan != nil {
			t.Told(e.Plan)
		}
	})
	return t
}

// Most returns how many trials a turn may run.
func (t *Trials) Most() int {
	if t.options.Most > 0 {
		return t.options.Most
	}
	return usualMost
}

// Checks returns the commands with which projects check themselves, if this machine can run
// them: the projects of the files at paths, and the one at the root. It reads files.
func (t *Trials) Checks(paths ...string) []brief.Check {
	read := func(path string) (string, bool) {
		f, err := t.ws.Read(path)
		return f.Text, err == nil && f.Exists
	}
	return brief.Installed(brief.FindChecks(read, paths...), t.Machine())
}

// told has the trials that the client believes to be current: those that were current when the
// client last got the plan.
type told struct {
	current map[int][]string // ids of trials, by the number of their plan
	pending bool             // a comparison is due
}

// compareAfter is how long a comparison waits for more typing.
const compareAfter = 300 * time.Millisecond

// Told records that a plan was sent to the client.
func (t *Trials) Told(p *state.Plan) {
	var current []string
	for _, one := range p.Trials {
		if one.Current {
			current = append(current, one.ID)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(p.Trials) == 0 {
		delete(t.told.current, p.Plan)
		return
	}
	t.told.current[p.Plan] = current
}

// compareSoon checks in the background whether the client's current trials are still current,
// and announces the plans for which that has changed. It never blocks.
func (t *Trials) compareSoon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.told.pending || len(t.told.current) == 0 || t.session.Over() {
		return
	}
	t.told.pending = true
	t.session.Spawn(func() {
		tasks.Pause(t.session.Context(), compareAfter)
		t.mu.Lock()
		t.told.pending = false
		t.mu.Unlock()
		t.compare()
	})
}

// OnDisk reports that files or folders changed on the disk: results of trials before are not about
// them. It never blocks.
func (t *Trials) OnDisk(paths []string) {
	at := t.session.Now()
	t.mu.Lock()
	clear(t.baselines)
	t.mu.Unlock()
	if len(paths) == 0 || t.session.Over() {
		return
	}
	t.session.Spawn(func() {
		t.ws.ChangedOnDisk(paths, at)
		t.compareSoon()
	})
}

// compare announces the plans whose trials the client wrongly believes to be current or out of
// date.
func (t *Trials) compare() {
	ctx := t.session.Context()
	for _, v := range t.board.Snapshot().Plans {
		n := v.Plan.Number
		t.mu.Lock()
		before, known := t.told.current[n]
		t.mu.Unlock()
		if !known || slices.Equal(before, view.CurrentTrials(t.ws, v)) || ctx.Err() != nil {
			continue
		}
		if h, err := t.board.Find(ctx, n); err == nil {
			t.board.Announce(h, "")
		}
	}
}

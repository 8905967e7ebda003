// Package trial runs commands on the texts that a plan would leave, before anybody has approved
// it: in a world of its own (package workspace/world), which leaves nothing behind. The result goes
// to the model that asked for it, and to the user with the plan.
package trial

import (
	"context"
	"sync"
	"time"

	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/event"
	"redline/agent/rules"
	"redline/agent/session"
	"redline/workspace"
	"redline/workspace/runner"
)

// Trials runs the trials of a session. Its methods may be called from any goroutine.
type Trials struct {
	session       *session.Session
	ws            *workspace.Workspace
	board         *board.Board
	conversations *conversation.Conversations
	options       Options

	mu        sync.Mutex
	baselines map[string]baseline // by command, folder and the texts without the plan's edits
	stands    standing
	told      told
}

// Mode says where commands may be tried.
type Mode string

// The modes.
const (
	On  Mode = "on"  // wherever there are worlds
	Ask Mode = "ask" // in a workspace of which the user has said so
	Off Mode = "off"
)

// Options configure trials. All but Mode may be zero.
type Options struct {
	Mode Mode

	// Command is how each is run, but for its Line, Dir and World; its time limit is 2 min if
	// none is given. What asks for a trial may ask for less time, not for more.
	runner.Command

	Tools     []string // absolute folders besides the workspace that are shown; missing ones are left out
	Hidden    []string // absolute names of files and folders that are not shown, besides those that hold secrets
	Home      string   // the user's home folder, "" for that of this process
	Disk      int64    // bytes that can be written, 0 for 1 GiB
	Memory    int64    // bytes of memory that a trial, or each of its processes, can have; 0 for 4 GiB
	Processes int      // at a time, 0 for 2,000
	Most      int      // how many a turn may run, 0 for 8

	Rules  *rules.Rules // those that deny, of approved commands and of trials alike; nil for none
	Worlds func() error // why there are no worlds; nil means [runner.WorldsIn]

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
func New(s *session.Session, b *board.Board, c *conversation.Conversations, o Options) *Trials {
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
	t := &Trials{session: s, ws: s.Workspace, board: b, conversations: c, options: o, baselines: map[string]baseline{}, told: told{current: map[int][]string{}}}
	s.Workspace.Observe(func(e workspace.BufferEvent) {
		if e.Kind == workspace.SavedEvent {
			t.forget()
		}
		t.compareSoon()
	})
	s.Observe(func(e event.Event) {
		if e.Kind == event.PlanChanged && e.Plan != nil {
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

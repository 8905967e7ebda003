package decide

import (
	"context"
	"time"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/commands"
	"redline/agent/decision"
	"redline/agent/presence"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/workspace"
)

// Decisions carry out what users decide on plans: they check a decision, store it, have the
// editor make the changes, and record what came of it. Their methods may be called from any
// goroutine.
type Decisions struct {
	session  *session.Session
	ws       *workspace.Workspace
	store    *store.Store
	log      *zap.Logger
	now      func() time.Time
	root     context.Context
	presence *presence.Presence
	board    *board.Board
	running  *commands.Executors
	options  Options
}

// Options are what decisions depend on besides the session.
type Options struct {
	// SomeBuffers says that the editor shows only some of its buffers: a file that it does not
	// show may be unsaved there, and is changed only with [decision.Request.Saved].
	SomeBuffers bool
	// Words approves a plan in words: it is worked out as a turn.
	Words func(context.Context, *board.Held, decision.Request) (state.Result, error)
}

// New makes the decisions of a session.
func New(s *session.Session, p *presence.Presence, b *board.Board, ex *commands.Executors, o Options) *Decisions {
	return &Decisions{
		session: s, ws: s.Workspace, store: s.Store, log: s.Log, now: s.Now, root: s.Context(),
		presence: p, board: b, running: ex, options: o,
	}
}

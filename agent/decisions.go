package agent

import (
	"context"
	"time"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/commands"
	"redline/agent/decision"
	"redline/agent/event"
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
	session     *session.Session
	ws          *workspace.Workspace
	store       *store.Store
	log         *zap.Logger
	now         func() time.Time
	root        context.Context
	presence    *presence.Presence
	board       *board.Board
	running     *commands.Executors
	someBuffers bool // see Options

	// words approves a plan in words: it is worked out as a turn.
	words func(context.Context, *board.Held, decision.Request) (state.Result, error)
}

func newDecisions(s *session.Session, p *presence.Presence, b *board.Board, ex *commands.Executors) *Decisions {
	return &Decisions{
		session: s, ws: s.Workspace, store: s.Store, log: s.Log, now: s.Now, root: s.Context(),
		presence: p, board: b, running: ex,
	}
}

func (ds *Decisions) notify(e event.Event) { ds.session.Notify(e) }
func (ds *Decisions) spawn(f func())       { ds.session.Spawn(f) }
func (ds *Decisions) workspaceKey() string { return ds.session.Key() }

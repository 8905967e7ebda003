// Package board owns the plans of a session: each as it is stored, and where its hunks are in
// the files as they are now. It follows the user's typing, changes on the disk and what other
// processes store.
//
// Others call the methods of [Board]. To change a plan they lock it and get a [Tx]: whatever
// needs the plan locked is a method of Tx. What they show and decide on is a view, an immutable
// value of package view.
//
// Inside, typing waits for the table, which is locked only for moments. Locks are taken in this
// order: a conversation's (by others), a plan's (Tx), the table's.
package board

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
)

// Board owns the plans of a session: each as it is stored, and where its hunks are in the
// files as they are now. Its methods may be called from any goroutine.
type Board struct {
	tableLock
	planLocks

	session  *session.Session
	store    *store.Store
	log      *zap.Logger
	now      func() time.Time
	root     context.Context
	presence *Presence
	backlog  *Backlog
	hooks    Hooks

	follower   follower
	reconciler reconciler
	disk       diskWatch
	announcing sync.Mutex // locked from reading a plan's state until it is announced
}

// Hooks are what the board needs from those who run turns and the commands of plans.
type Hooks struct {
	Rules        CommandRules        // the user's own rules on commands
	WakeCommands func()              // called when a plan or file that a command may wait for has changed; must not block
	RunsCommands func(plan int) bool // reports whether commands of the plan are running
	ClearStaging func(*Held)         // called when the plan has no question left for the user; must not block

	Running       func() (turns []state.Turn, changes int)    // the queued and running turns, and how often they have changed
	ReadQuestions func(ctx context.Context, first bool) error // reads the questions that wait for an answer from the store
}

// New returns the board of a session. It reads and opens no file.
func New(s *session.Session, p *Presence, b *Backlog, h Hooks) *Board {
	board := &Board{
		session: s, store: s.Store, log: s.Log, now: s.Now, root: s.Context(),
		presence: p, backlog: b, hooks: h,
		tableLock: tableLock{ws: s.Workspace, table: table{
			ws: s.Workspace, rules: h.Rules, clearStaging: h.ClearStaging,
			plans: map[int]*entry{}, threads: map[string]*thread{}, typed: map[string]int{},
			broken: map[int]*plan.Plan{},
		}},
	}
	board.reconciler = reconciler{b: board, due: map[*Held]evidence{}, running: map[*Held]bool{}}
	board.planLocks.b, board.follower.b, board.disk.b = board, board, board
	s.Workspace.Observe(board.onBuffer)
	return board
}

package agent

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"redline/agent/conversation"
	"redline/agent/event"
	"redline/agent/session"
	"redline/agent/store"
	"redline/agent/toolset"
	"redline/workspace"
)

// Executors run the approved commands of plans, those of a plan one after the other. Their
// methods may be called from any goroutine.
type Executors struct {
	session       *session.Session
	ws            *workspace.Workspace
	store         *store.Store
	log           *zap.Logger
	now           func() time.Time
	root          context.Context
	board         *Board
	conversations *conversation.Conversations
	reach         *toolset.Reach // to tool servers
	commands      Commands
	rules         commandRules
	unconfined    sync.Once // the user knows that what commands write is not limited

	launching sync.Mutex // held while the executor of a plan is looked for and begun
	runningMu sync.Mutex
	executors map[int]*executor // plan → what runs its commands; runningMu guards it
}

func newExecutors(s *session.Session, b *Board, c *conversation.Conversations, r *toolset.Reach, commands Commands) *Executors {
	return &Executors{
		session: s, ws: s.Workspace, store: s.Store, log: s.Log, now: s.Now, root: s.Context(),
		board: b, conversations: c, reach: r, commands: commands, rules: commandRules{commands.Rules, s.Workspace},
		executors: map[int]*executor{},
	}
}

func (ex *Executors) notify(e event.Event) { ex.session.Notify(e) }
func (ex *Executors) workspaceKey() string { return ex.session.Key() }

func (ex *Executors) unsavedElsewhere() func(path string) bool { return ex.board.unsavedElsewhere() }

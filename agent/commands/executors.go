package commands

import (
	"context"
	"fmt"
	"sync"
	"time"

	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/presence"
	"redline/agent/session"
	"redline/agent/toolset"
	"redline/workspace"
)

// Executors run the approved commands of plans, those of a plan one after the other. Their
// methods may be called from any goroutine.
type Executors struct {
	session       *session.Session
	ws            *workspace.Workspace
	now           func() time.Time
	root          context.Context
	presence      *presence.Presence
	board         *board.Board
	conversations *conversation.Conversations
	reach         *toolset.Reach // to tool servers
	commands      Options
	rules         board.CommandRules
	unconfined    sync.Once // for noticeUnconfined

	launching sync.Mutex // held by Launch, so that a plan has one executor

	mu      sync.Mutex        // guards running; nothing else is locked under it
	running map[int]*executor // by plan
}

func New(s *session.Session, p *presence.Presence, b *board.Board, c *conversation.Conversations, r *toolset.Reach, commands Options) *Executors {
	return &Executors{
		session: s, ws: s.Workspace, now: s.Now, root: s.Context(),
		presence: p, board: b, conversations: c, reach: r, commands: commands, rules: board.NewCommandRules(commands.Rules, s.Workspace),
		running: map[int]*executor{},
	}
}

// Launch runs approved commands after the edits that were approved with them, and returns the id
// of the turn that runs them. If a turn runs commands of the plan already, they go to that turn,
// and those that wait there for files to be saved run without waiting.
func (ex *Executors) Launch(h *board.Held, a Approval) (turn string) {
	ex.launching.Lock()
	defer ex.launching.Unlock()
	if e := ex.executor(h.Number()); e != nil && e.add(a) {
		return e.turn.ID
	}
	e, n, known := newExecutor(ex, h, a), h.Number(), make(chan struct{})
	e.turn = ex.conversations.Begin(h.Plan().Conversation, turnTitle(len(a.ids), n), func(ctx context.Context, _ *conversation.Turn) error {
		<-known
		return e.run(ctx)
	}, func() { ex.forget(n, e) })
	ex.mu.Lock()
	ex.running[n] = e
	ex.mu.Unlock()
	close(known)
	return e.turn.ID
}

// forget forgets the executor of a plan, unless the plan has another one by now.
func (ex *Executors) forget(plan int, e *executor) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.running[plan] == e {
		delete(ex.running, plan)
	}
}

// turnTitle returns the text of the turn that runs commands of a plan.
func turnTitle(commands, plan int) string {
	if commands == 1 {
		return fmt.Sprintf("Run a command of plan %d", plan)
	}
	return fmt.Sprintf("Run %d commands of plan %d", commands, plan)
}

// WakeAll makes every executor check again whether it can go on, after a file was saved or a plan
// has changed. It does not wait.
func (ex *Executors) WakeAll() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	for _, e := range ex.running {
		e.wake()
	}
}

// Runs reports whether commands of a plan run or wait to.
func (ex *Executors) Runs(plan int) bool { return ex.executor(plan) != nil }

// executor returns the executor of a plan, nil for none.
func (ex *Executors) executor(plan int) *executor {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return ex.running[plan]
}

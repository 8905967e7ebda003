package decide

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"redline/agent/board"
	"redline/agent/commands"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/toolset"
	"redline/internal/tasks"
	"redline/workspace"
	"redline/workspace/runner"
)

// Ran is called when commands of a plan have run in an execution that was not cancelled, and
// none of the plan is left to run or one has failed. It returns the id of a turn that it has
// queued in the plan's conversation, "" for none.
type Ran func(h *board.Held) (turn string)

// Compare returns what is known of a command of a plan that has run and failed, from a run in a
// world without the plan's edits: "" for nothing.
type Compare func(ctx context.Context, h *board.Held, o *plan.Operation, failed commands.Observation) plan.Class

// Hooks are what the executors call of other owners. Each may be nil.
type Hooks struct {
	Ran     Ran
	Compare Compare
}

// Executors run the approved commands of plans: they determine which commands a decision approves,
// what each waits for, and what follows from its result. A command runs in its own process,
// confined according to the user's settings, with package workspace/runner. The commands of one
// plan run one after the other, unless the plan says that they run at the same time. Their methods
// may be called from any goroutine.
type Executors struct {
	session       *session.Session
	ws            *workspace.Workspace
	now           func() time.Time
	root          context.Context
	presence      *board.Presence
	board         *board.Board
	conversations *conversation.Conversations
	reach         *toolset.Reach // for calls to tool servers
	options       ExecutorOptions
	rules         board.CommandRules
	hooks         Hooks
	unconfined    sync.Once // used by noticeUnconfined

	launching sync.Mutex // locked by Launch, so that a plan has one executor

	mu      sync.Mutex        // guards running; no other lock is taken while it is held
	running map[int]*executor // by plan number
}

// NewExecutors makes the executors of a session.
func NewExecutors(s *session.Session, p *board.Presence, b *board.Board, c *conversation.Conversations, r *toolset.Reach, o ExecutorOptions, hooks Hooks) *Executors {
	o.Parallel = cmp.Or(o.Parallel, 4)
	ex := &Executors{
		session: s, ws: s.Workspace, now: s.Now, root: s.Context(),
		presence: p, board: b, conversations: c, reach: r, options: o, rules: board.NewCommandRules(o.Rules, s.Workspace),
		running: map[int]*executor{}, hooks: hooks,
	}
	s.Workspace.Observe(func(workspace.BufferEvent) { ex.wakeAll() })
	s.Observe(func(e state.Event) {
		if e.Kind == state.PlanChanged {
			ex.wakeAll()
		}
	})
	return ex
}

// Launch runs approved commands after the edits that were approved with them, and returns the id
// of the turn that runs them. If a turn already runs commands of the plan, they are added to it,
// and those of them that wait there for a save run without waiting.
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
	}, func() { ex.forget(n, e); e.follow() })
	ex.mu.Lock()
	ex.running[n] = e
	ex.mu.Unlock()
	close(known)
	return e.turn.ID
}

// forget drops the executor of a plan, unless the plan has a newer one.
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

// wakeAll makes every executor check again whether it can continue, after a file was saved or a
// plan has changed.
func (ex *Executors) wakeAll() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	for _, e := range ex.running {
		e.woken.Set()
	}
}

// Runs reports whether commands of a plan are running or waiting to run.
func (ex *Executors) Runs(plan int) bool { return ex.executor(plan) != nil }

// executor returns the executor of a plan, nil for none.
func (ex *Executors) executor(plan int) *executor {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	return ex.running[plan]
}

// ExecutorOptions configure how approved commands run.
type ExecutorOptions struct {
	// Command has how each command is run, except for its Line, Dir, Write and Left. A plan may
	// ask for a shorter timeout, not for a longer one.
	runner.Command

	Wall     time.Duration // the time limit for all commands of one approval together; 0 for no limit
	Parallel int           // how many commands of a plan run at the same time, if the plan allows it; 0 means 4

	Caches func() []string // returns absolute directories besides the workspace that they may write; nil for none
	Rules  *commands.Rules // the user's own; nil for none

	// Run runs a command; nil means [runner.Run].
	Run func(ctx context.Context, c runner.Command, tell func(runner.Stream, string)) (runner.Outcome, error)
}

// executor runs the approved commands of one plan, in their order, as a turn.
type executor struct {
	ex    *Executors
	held  *board.Held
	hash  string           // the revision at which the commands were approved
	after *board.Execution // the execution of the edits approved with them, nil for none
	turn  *conversation.Turn
	woken tasks.Signal // it must check again whether it can continue

	// Only the goroutine of the turn uses these.
	queue    []string          // ids of the commands, in order
	rules    map[string]string // command id to the user's own rule that allows it, until that is recorded
	runNow   map[string]bool   // commands that do not wait for files to be saved
	record   int64             // the store's record of the execution of the command that waits for a save, 0 for none
	reported bool              // the message that a command waits for a save was sent
	shown    string            // what the progress says that a command waits for
	results  []string          // a sentence for each command that has ended or was skipped
	failure  string            // why the plan has stopped, "" if it has not
	ended    int               // how many commands have ended
	spent    time.Duration     // how long commands have run
	follows  bool              // a turn is queued that waits for this one
	printed  string            // the lines about the failure in the output of the failed command

	mu     sync.Mutex // guards the rest; no other lock is taken while it is held
	added  []Approval // approvals added since the last collect
	closed bool       // no more can be added
}

func newExecutor(ex *Executors, h *board.Held, a Approval) *executor {
	return &executor{
		ex: ex, held: h, hash: a.hash, after: a.After, woken: tasks.NewSignal(),
		rules: map[string]string{}, runNow: map[string]bool{}, added: []Approval{a},
	}
}

// add adds commands to the executor. ok is false if it does not accept them, because it has
// ended or runs commands of another revision.
func (e *executor) add(a Approval) (ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || a.hash != e.hash {
		return false
	}
	e.added = append(e.added, a)
	e.woken.Set()
	return true
}

// collect moves the added commands to the queue, in the order of the revision. A command that was
// already in the queue no longer waits for saves.
func (e *executor) collect() { e.enqueue(e.take(false)) }

// close collects for the last time: after it, no commands can be added.
func (e *executor) close() { e.enqueue(e.take(true)) }

// take returns the approvals added since the last call.
func (e *executor) take(last bool) (added []Approval) {
	e.mu.Lock()
	defer e.mu.Unlock()
	added, e.added, e.closed = e.added, nil, e.closed || last
	return added
}

// closeIfIdle closes the executor unless something was added since the last collect.
func (e *executor) closeIfIdle() (closed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = len(e.added) == 0
	return e.closed
}

func (e *executor) enqueue(added []Approval) {
	for _, a := range added {
		for _, id := range a.ids {
			if rule := a.rules[id]; rule != "" {
				e.rules[id] = rule
			}
			if slices.Contains(e.queue, id) {
				e.runNow[id] = true
			} else {
				e.queue = append(e.queue, id)
			}
		}
	}
	if len(added) == 0 {
		return
	}
	operations := e.held.Revision().Operations
	place := func(id string) int {
		return slices.IndexFunc(operations, func(o plan.Operation) bool { return o.ID == id })
	}
	slices.SortFunc(e.queue, func(x, y string) int { return place(x) - place(y) })
}

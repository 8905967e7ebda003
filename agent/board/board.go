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
//
// Reconciling answers one question: was a change made? It compares what a plan has on record with
// what the file's text and its editor show, and changes no file. The comparison consists of a
// table and functions on plain values (reconcile_table.go): reconciledFile.Find compares a text
// with a change, and judgeRecord says what follows.
//
// Before an editor is asked for a file, the plan records what is sent ([plan.Sent]), and takes a
// lease, which ends with the process, to show that somebody is at work. A missing answer is not a
// failure: the file stays applying until its text shows the outcome. After a restart, or when the
// process that asked has exited, the text decides at once. A hunk that was applied in a buffer
// and never saved is pending again when the buffer is gone. For example, if an editor exits with
// an applied hunk unsaved, the next session finds the old lines and no buffer, and the hunk waits
// for a decision again.
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
	"redline/agent/view"
	"redline/workspace"
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

	Threads    Threads
	Follower   Follower
	Reconciler Reconciler
	Disk       DiskWatch
	announcing sync.Mutex // locked from reading a plan's state until it is announced
}

// Hooks are what the board needs from those who run turns and the commands of plans.
type Hooks struct {
	Rules        CommandRules        // the user's own rules on commands
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
	board.Reconciler = Reconciler{b: board, due: map[*Held]evidence{}, running: map[*Held]bool{}}
	board.Threads = Threads{&board.tableLock}
	board.planLocks.b, board.Follower.b, board.Disk.b = board, board, board
	s.Workspace.Observe(board.onBuffer)
	return board
}

// tableLock gives access to the table through lock and the methods that read files before they
// lock. The caller has the table alone until it unlocks.
type tableLock struct {
	ws    *workspace.Workspace
	table table
}

// table is what typing waits for: the plans of the session, where their hunks are, and related
// state. Whatever needs the lock is a method of table or of an entry, or takes a table: use none
// of these after unlock. While you have the table, do not read from the disk, and do not ask the
// editor, the model or the store.
type table struct {
	mu     sync.Mutex
	counts counts

	ws           *workspace.Workspace
	rules        CommandRules
	clearStaging func(*Held)

	plans         map[int]*entry
	threads       map[string]*thread // by conversation
	snapshot      *view.Snapshot     // nil if out of date
	snapshotTurns int                // the turns' count of changes at that time
	recent        recent             // plans that are done, for State
	broken        map[int]*plan.Plan // plans of the store that cannot be read
	typed         map[string]int     // path to how often an open file has changed
}

// lock waits for the table and locks it. Lock a plan before the table, never while you have it.
func (k *tableLock) lock() *table {
	k.table.mu.Lock()
	k.table.counts.locks++
	return &k.table
}

// unlock unlocks the table.
func (t *table) unlock() { t.mu.Unlock() }

// held returns the plan with a number, nil if the session does not hold it.
func (t *table) held(number int) *Held {
	if e := t.plans[number]; e != nil {
		return e.Held
	}
	return nil
}

// of returns the table's entry of a plan.
func (t *table) of(h *Held) *entry { return h.entry }

// peek returns a copy of the table's entry of a plan, which may be out of date at once. The
// table still guards its files.
func (k *tableLock) peek(h *Held) entry {
	t := k.lock()
	defer t.unlock()
	return *t.of(h)
}

// with calls f with the table locked and its entry of a plan.
func (k *tableLock) with(h *Held, f func(*table, *entry)) {
	t := k.lock()
	defer t.unlock()
	f(t, t.of(h))
}

// changed marks the views of a plan as out of date.
func (t *table) changed(h *entry) {
	h.view = nil
	t.snapshot = nil
}

// clear forgets all plans, because their numbers belong to another workspace.
func (t *table) clear() {
	t.plans, t.snapshot, t.broken = map[int]*entry{}, nil, map[int]*plan.Plan{}
	for _, c := range t.threads {
		c.plan, c.unnamed = 0, ""
	}
	t.forgetRecent()
}

// lockWith reads the files that the function files returns, and locks the table. It calls files
// with the table locked, and again each time it had to unlock to read, since the result may
// change. It first reads what the caller expects files to return.
func (k *tableLock) lockWith(expected []Paths, files func(*table) []Paths) (*table, *ReadAhead) {
	l := NewReadAhead(k.ws)
	if len(expected) > 0 { // typing expects nothing
		l.Read(expected)
	}
	for {
		t := k.lock()
		missing := l.Missing(files(t))
		if len(missing) == 0 {
			return t, l
		}
		t.unlock()
		l.Read(missing)
	}
}

// lockRead calls lockWith for all files of a plan.
func (k *tableLock) lockRead(h *Held) (*table, *ReadAhead) {
	return k.lockWith(pathsIn(h.Revision()), func(t *table) []Paths { return pathsOfAll(t.of(h).files) })
}

// lockReadFile calls lockWith for one file.
func (k *tableLock) lockReadFile(c *plan.Change) (*table, *ReadAhead) {
	file := []Paths{pathsOf(c)}
	return k.lockWith(file, func(*table) []Paths { return file })
}

func pathsOf(c *plan.Change) Paths { return Paths{Old: c.Path, New: c.NewPath} }

// pathsIn returns the names of the files of a revision.
func pathsIn(r *plan.Revision) (all []Paths) {
	for i := range r.Changes {
		all = append(all, pathsOf(&r.Changes[i]))
	}
	return all
}

func pathsOfAll(files []*heldFile) (all []Paths) {
	for _, f := range files {
		all = append(all, pathsOf(f.Change))
	}
	return all
}

// counts says how often something was asked for, which tests hold to a limit.
type counts struct{ locks, views, ready, compared int }

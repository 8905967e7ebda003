package board

import (
	"sync"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/workspace"
)

// table is what typing waits for: the plans of the session, each with where its hunks are, and
// what is known beside them. Only [Board.lock] and lockWith hand it out, locked, and whoever
// has it is the only one until unlock. So what needs the lock is a method of table, or takes
// one. Nothing of it is used after unlock, and nothing is read from the disk, nor asked of the
// editor, the model or the store, before.
type table struct {
	mu sync.Mutex

	ws           *workspace.Workspace
	rules        CommandRules
	clearStaging func(*Held)

	plans         map[int]*entry
	threads       map[string]*thread // by conversation
	snapshot      *view.Snapshot     // nil when out of date
	snapshotTurns int                // how often the turns in it had changed
	recent        recent             // plans that are done, for State
	broken        map[int]*plan.Plan // plans of the store that cannot be read; nil for none
	typed         map[string]int     // path → how often an open file has changed
}

// lock waits for the table and locks it. Take the lock of a plan before, never while you have
// the table.
func (b *Board) lock() *table {
	b.guarded.mu.Lock()
	return &b.guarded
}

// unlock lets others have the table.
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

// changed marks what is shown of a plan as out of date.
func (t *table) changed(h *entry) {
	h.view = nil
	t.snapshot = nil
}

// clear forgets all plans: their numbers are those of another workspace.
func (t *table) clear() {
	t.plans, t.snapshot, t.broken = map[int]*entry{}, nil, nil
	t.forgetRecent()
}

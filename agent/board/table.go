package board

import (
	"sync"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/workspace"
)

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
	mu sync.Mutex

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
	t.forgetRecent()
}

// lockWith reads the files that the function files returns, and locks the table. It calls files
// with the table locked, and again each time it had to unlock to read, since the result may
// change.
func (k *tableLock) lockWith(files func(*table) []Paths) (*table, *ReadAhead) {
	l := NewReadAhead(k.ws)
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
	return k.lockWith(func(t *table) []Paths { return pathsOfAll(t.of(h).files) })
}

// lockReadAll calls lockWith for all files of a plan, and for those to which earlier revisions
// have applied something.
func (k *tableLock) lockReadAll(h *Held) (*table, *ReadAhead) {
	return k.lockWith(func(t *table) []Paths {
		files := pathsOfAll(t.of(h).files)
		for _, c := range t.of(h).past {
			files = append(files, pathsOf(c.Change))
		}
		return files
	})
}

// lockReadFile calls lockWith for one file.
func (k *tableLock) lockReadFile(c *plan.Change) (*table, *ReadAhead) {
	return k.lockWith(func(*table) []Paths { return []Paths{pathsOf(c)} })
}

func pathsOf(c *plan.Change) Paths { return Paths{Old: c.Path, New: c.NewPath} }

func pathsOfAll(files []*heldFile) (all []Paths) {
	for _, f := range files {
		all = append(all, pathsOf(f.Change))
	}
	return all
}

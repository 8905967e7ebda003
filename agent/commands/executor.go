package commands

import (
	"slices"
	"sync"

	"redline/agent/board"
	"redline/agent/conversation"
	"redline/agent/plan"
)

// executor runs the approved commands of one plan, one after the other, as a turn.
type executor struct {
	ex    *Executors
	held  *board.Held
	hash  string           // of the revision that the commands were approved at
	after *board.Execution // of the edits that were approved with them, nil for none
	turn  *conversation.Turn
	woken chan struct{} // see wake

	// Only the goroutine of the turn uses these.
	queue    []string          // ids of the commands, in order
	rules    map[string]string // command → the user's own rule that allows it, until that is recorded
	runNow   map[string]bool   // commands that do not wait for files to be saved
	record   int64             // the store's record of the execution of the command that waits for a save, 0 for none
	reported bool              // the user knows that a command waits for a save
	results  []string          // a sentence for each command that has ended or was skipped
	failure  string            // why the plan has stopped, "" if it has not

	mu     sync.Mutex // guards the rest; nothing else is locked under it
	added  []Approval // since the last collect
	closed bool       // nothing can be added
}

func newExecutor(ex *Executors, h *board.Held, a Approval) *executor {
	return &executor{
		ex: ex, held: h, hash: a.hash, after: a.After, woken: make(chan struct{}, 1),
		rules: map[string]string{}, runNow: map[string]bool{}, added: []Approval{a},
	}
}

// add hands more commands to the executor. ok is false if it takes none, because it has ended
// or runs those of another revision.
func (e *executor) add(a Approval) (ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || a.hash != e.hash {
		return false
	}
	e.added = append(e.added, a)
	e.wake()
	return true
}

// wake makes the executor check again whether it can go on. It does not wait.
func (e *executor) wake() {
	select {
	case e.woken <- struct{}{}:
	default:
	}
}

// collect moves what was added to the queue, in the order of the revision. A command that was in
// the queue already does not wait for saves any more.
func (e *executor) collect() { e.enqueue(e.take(false)) }

// close is the last collect: nobody can add more commands after it.
func (e *executor) close() { e.enqueue(e.take(true)) }

// take returns what was added since it was called before.
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

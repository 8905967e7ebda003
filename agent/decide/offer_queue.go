package decide

import (
	"slices"
	"sync"

	"redline/agent/board"
)

// item is an operation to ask the user about.
type item struct {
	operation string    // its id
	by        OfferTurn // the turn that staged it
	again     bool      // the plan has got another revision since the user was asked
}

// queue holds the operations to ask users about, by plan. At most one goroutine asks about those
// of a plan.
type queue struct {
	mu sync.Mutex // while it is held, no other lock is taken and no question asked
	of map[*board.Held]*planQueue
}

type planQueue struct {
	items  []item
	asking bool // a goroutine asks about them
}

// add queues operations of a plan. start is true if ask is true and no goroutine asks about the
// plan yet: then the caller must ask until next returns false or it calls stop.
func (q *queue) add(h *board.Held, operations []string, by OfferTurn, ask bool) (start bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.of == nil {
		q.of = map[*board.Held]*planQueue{}
	}
	p := q.of[h]
	if p == nil {
		p = &planQueue{}
		q.of[h] = p
	}
	for _, id := range operations {
		p.items = append(p.items, item{operation: id, by: by})
	}
	start = ask && !p.asking
	p.asking = p.asking || start
	return start
}

// next takes the next operation of a plan. If there is none it returns false, and records that
// no goroutine asks any more.
func (q *queue) next(h *board.Held) (next item, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.of[h]
	if p == nil || len(p.items) == 0 {
		delete(q.of, h)
		return item{}, false
	}
	next, p.items = p.items[0], p.items[1:]
	return next, true
}

// stop records that no goroutine asks about a plan any more. Its queue stays.
func (q *queue) stop(h *board.Held) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if p := q.of[h]; p != nil {
		p.asking = false
	}
}

// putBack puts an operation that next returned back at the front of the queue.
func (q *queue) putBack(h *board.Held, again item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if p := q.of[h]; p != nil {
		p.items = slices.Insert(p.items, 0, again)
	}
}

// clear drops the queued operations of a plan.
func (q *queue) clear(h *board.Held) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch p := q.of[h]; {
	case p == nil:
	case p.asking:
		p.items = nil
	default:
		delete(q.of, h)
	}
}

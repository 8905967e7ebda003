package turn

import (
	"slices"
	"sync"

	"redline/agent/board"
)

// offer is an operation that the user is to be asked about.
type offer struct {
	operation string // its id
	turn      *turn
	again     bool // the plan has got another revision since it was asked
}

// offers are the operations that users are still to be asked about, by plan. At most one
// goroutine asks about those of a plan.
type offers struct {
	mu sync.Mutex // nothing else is locked, and nobody asked, while it is held
	of map[*board.Held]*planOffers
}

type planOffers struct {
	queue  []offer
	asking bool // a goroutine asks about them
}

// add queues operations of a plan. If nobody asks about the plan's and ask is true, the caller
// is the one to ask, until next returns false or it calls stop.
func (o *offers) add(h *board.Held, operations []string, t *turn, ask bool) (start bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.of == nil {
		o.of = map[*board.Held]*planOffers{}
	}
	p := o.of[h]
	if p == nil {
		p = &planOffers{}
		o.of[h] = p
	}
	for _, id := range operations {
		p.queue = append(p.queue, offer{operation: id, turn: t})
	}
	start = ask && !p.asking
	p.asking = p.asking || start
	return start
}

// next takes the next operation of a plan. It returns false if there is none; then nobody asks
// any more.
func (o *offers) next(h *board.Held) (next offer, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.of[h]
	if p == nil || len(p.queue) == 0 {
		delete(o.of, h)
		return offer{}, false
	}
	next, p.queue = p.queue[0], p.queue[1:]
	return next, true
}

// stop notes that nobody asks about the operations of a plan any more. What is queued stays.
func (o *offers) stop(h *board.Held) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p := o.of[h]; p != nil {
		p.asking = false
	}
}

// putBack has an operation that next returned be the next once more.
func (o *offers) putBack(h *board.Held, again offer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p := o.of[h]; p != nil {
		p.queue = slices.Insert(p.queue, 0, again)
	}
}

// clear drops the operations of a plan that are queued.
func (o *offers) clear(h *board.Held) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch p := o.of[h]; {
	case p == nil:
	case p.asking:
		p.queue = nil
	default:
		delete(o.of, h)
	}
}

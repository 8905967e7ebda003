package decide

import (
	"testing"

	"redline/agent/board"
)

// One goroutine at a time asks about the operations of a plan: whoever finds the queue
// empty stops, and the next one to add something starts again.
func TestQueue(t *testing.T) {
	q := newQueue()
	h, other := new(board.Held), new(board.Held)
	take := func(want string) {
		t.Helper()
		if got, ok := q.next(h); got.operation != want || ok != (want != "") {
			t.Errorf("next = %q, %v; want %q", got.operation, ok, want)
		}
	}
	add := func(h *board.Held, start bool, ids ...string) {
		t.Helper()
		if got := q.add(h, ids, OfferTurn{}, true); got != start {
			t.Errorf("add %v: start %v, want %v", ids, got, start)
		}
	}
	if q.add(h, []string{"o0"}, OfferTurn{}, false) {
		t.Error("add starts though nobody is to ask")
	}
	q.clear(h)
	add(h, true, "o1", "o2")
	add(h, false, "o3")
	add(other, true, "o9")
	take("o1")
	q.putBack(h, item{operation: "o1", again: true})
	take("o1")
	take("o2")
	q.clear(h) // o3
	add(h, false, "o4")
	take("o4")
	take("")
	add(h, true, "o5", "o6")
	take("o5")
	q.stop(h)
	add(h, true, "o7")
	take("o6")
	take("o7")
	take("")
	if q.clear(other); len(q.items) != 0 || len(q.asking) != 1 {
		t.Errorf("%+v is kept, want that a plan is asked about", q)
	}
	if q.next(other); len(q.items)+len(q.asking) != 0 {
		t.Errorf("%+v is kept, want nothing", q)
	}
}

package turn

import (
	"testing"

	"redline/agent/board"
)

// One goroutine at a time asks about the operations of a plan: who finds the queue empty
// stops, and the next one to add something starts again.
func TestOffers(t *testing.T) {
	var o offers
	h, other := new(board.Held), new(board.Held)
	take := func(want string) {
		t.Helper()
		if got, ok := o.next(h); got.operation != want || ok != (want != "") {
			t.Errorf("next = %q, %v; want %q", got.operation, ok, want)
		}
	}
	add := func(h *board.Held, start bool, ids ...string) {
		t.Helper()
		if got := o.add(h, ids, nil, true); got != start {
			t.Errorf("add %v: start %v, want %v", ids, got, start)
		}
	}
	if o.add(h, []string{"o0"}, nil, false) {
		t.Error("add starts though nobody is to ask")
	}
	o.clear(h)
	add(h, true, "o1", "o2")
	add(h, false, "o3")
	add(other, true, "o9")
	take("o1")
	o.putBack(h, offer{operation: "o1", again: true})
	take("o1")
	take("o2")
	o.clear(h) // o3
	add(h, false, "o4")
	take("o4")
	take("")
	add(h, true, "o5", "o6")
	take("o5")
	o.stop(h)
	add(h, true, "o7")
	take("o6")
	take("o7")
	take("")
	if o.clear(other); len(o.of) != 1 {
		t.Errorf("%d plans are kept, want that which is asked about", len(o.of))
	}
	if o.next(other); len(o.of) != 0 {
		t.Errorf("%d plans are kept, want none", len(o.of))
	}
}

package board

import "redline/agent/draft"

// TypedIn returns a number that changes when the user types in a file that a draft has read
// or changed. A nil draft has none.
func (b *Board) TypedIn(d *draft.Draft) int {
	if d == nil {
		return 0
	}
	paths := d.Looked()
	t := b.lock()
	defer t.unlock()
	n := 0
	for _, path := range paths {
		n += t.typed[path]
	}
	return n
}

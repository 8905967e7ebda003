package agent

import "redline/agent/draft"

// typedIn returns a number that changes when the user types in a file that the draft d
// has looked at or changed.
func (b *Board) typedIn(d *draft.Draft) int {
	if d == nil {
		return 0
	}
	paths := d.Looked()
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, path := range paths {
		n += b.typed[path]
	}
	return n
}

package agent

import "redline/agent/draft"

// typedIn is a number that is another once somebody has typed in a file that a turn with
// the draft d has looked at or changed.
func (a *Agent) typedIn(d *draft.Draft) int {
	if d == nil {
		return 0
	}
	paths := d.Looked()
	a.mu.Lock()
	defer a.mu.Unlock()
	n := 0
	for _, path := range paths {
		n += a.typed[path]
	}
	return n
}

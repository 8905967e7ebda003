// Package filelock locks files while this process lives. The kernel releases a lock when
// its process ends, in whatever way.
package filelock

import "time"

// A process that is killed while it starts a program still holds its locks for a moment: the new
// process shares them until it has become that program. endingFor is how long that may take.
const endingFor = time.Second

// Freed waits until free reports that the lock of a process that has [Ended] is free, but not long:
// the process may only be out of sight, as in another container. It returns what free returned last.
func Freed(free func() bool) bool {
	for end := time.Now().Add(endingFor); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if free() {
			return true
		}
	}
	return false
}

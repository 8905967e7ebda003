package store

import (
	"encoding/json"
	"os"
	"time"

	"redline/internal/filelock"
)

// A process that is killed while it starts a program still holds its locks for a moment: the new
// process shares them until it has become that program. endingFor is how long that may take.
const endingFor = time.Second

// ending waits for the lock of a marker whose process has ended, and reports whether it is free.
// It waits once for each marker: if that does not help, the process cannot be seen from here, as
// in another container.
func (n *marker) ending(id string, lock *os.File, text []byte) bool {
	var by struct{ Process int }
	if n.awaited[id] || json.Unmarshal(text, &by) != nil || by.Process <= 0 || exists(by.Process) {
		return false
	}
	for end := time.Now().Add(endingFor); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if !filelock.Held(lock) {
			return true
		}
	}
	if n.awaited == nil {
		n.awaited = map[string]bool{}
	}
	n.awaited[id] = true
	return false
}

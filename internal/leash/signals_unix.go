//go:build unix

package leash

import (
	"os"
	"os/signal"
)

// CatchSignals makes this process, a helper, survive signals that can be caught: otherwise
// it would lose track of what it has started. Programs that it starts end by signals as
// usual.
func CatchSignals() {
	nobody := make(chan os.Signal, 1) // nobody reads it: further signals are dropped
	signal.Notify(nobody)
}

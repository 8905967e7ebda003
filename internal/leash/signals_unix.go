//go:build unix

package leash

import (
	"os"
	"os/signal"
)

// CatchSignals has this process, a helper, live on when it is sent a signal that
// can be caught: what it has started would be lost with it. Programs that it starts
// end by signals as usual.
func CatchSignals() {
	nobody := make(chan os.Signal, 1) // nobody reads: a signal that finds it full is dropped
	signal.Notify(nobody)
}

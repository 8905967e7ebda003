package world

import (
	"context"
	"time"
)

// Ticks finds out how long to wait until a change of a file gets a later time than changes before.
// The zero value has seen none.
type Ticks struct {
	fine, coarse time.Time // the latest change with a fraction of a second, and without one
}

const (
	// fineTick is the longest time in which a kernel gives all changes the same time, with some room.
	fineTick = 20 * time.Millisecond
	// coarseTick is that of a file system that stores whole seconds, some of them only even ones.
	coarseTick = time.Second
)

// Saw notes when a file changed.
func (t *Ticks) Saw(changed time.Time) {
	latest := &t.fine
	if changed.Nanosecond() == 0 {
		latest = &t.coarse
	}
	if changed.After(*latest) {
		*latest = changed
	}
}

// left returns how long to wait at a time. The clock of a file system may be ahead: then nobody knows, and
// the wait is as long as a tick.
func (t *Ticks) left(now time.Time) time.Duration {
	until := func(changed time.Time, tick time.Duration) time.Duration {
		return min(changed.Add(tick).Sub(now), tick)
	}
	tick := coarseTick
	if t.coarse.Unix()%2 == 0 {
		tick *= 2
	}
	return max(0, until(t.fine, fineTick), until(t.coarse, tick+fineTick))
}

// Wait waits until a change gets a later time than those that Saw has noted.
func (t *Ticks) Wait(ctx context.Context) error {
	select {
	case <-time.After(t.left(time.Now())):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

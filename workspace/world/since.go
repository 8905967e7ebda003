package world

import (
	"os"
	"sync"
	"time"
)

// Since tells which files have changed since a moment, by their change times. No program can set a change
// time, but whoever sets the clock back makes later changes look older: that counts.
type Since struct {
	clock clock
	began time.Duration // since 1970, by the clock that gives files their times
	ahead time.Duration // by how much the clock was ahead of the time since the system started

	mu  sync.Mutex
	at  time.Duration // began, or earlier if the clock was set back
	set *os.File      // reading it waits until the clock is set
}

// clock reads the clocks of a system.
type clock interface {
	// files returns the time since 1970 that a file gets if it changes now. It grows in ticks.
	files() time.Duration
	// both returns the time since 1970, and since the system started, at most reading later. ok is false if
	// the system is too slow for that.
	both() (now, up time.Duration, ok bool)
}

// reading is how long it may take to read both times of a clock.
const reading = 50 * time.Microsecond

// look notes whether the clock was set back.
func (s *Since) look() {
	now, up, ok := s.clock.both()
	s.mu.Lock()
	defer s.mu.Unlock()
	if moved := now - up - s.ahead; !ok {
		s.at = 0 // nobody knows
	} else if moved < -reading {
		s.at = min(s.at, s.began+moved-reading)
	}
}

// Unchanged reports whether a file with a change time has not changed since, where [Since.Tells].
func (s *Since) Unchanged(changed time.Time) bool {
	s.look()
	latest := time.Duration(changed.UnixNano())
	if changed.Nanosecond() == 0 { // of a file of an older system, which stored whole seconds
		latest += coarseTick
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return latest < s.at
}

// Close ends what Since uses.
func (s *Since) Close() {
	if s != nil && s.set != nil {
		s.set.Close()
	}
}

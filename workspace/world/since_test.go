package world

import (
	"testing"
	"time"
)

// setClock is a clock that a test sets.
type setClock struct {
	now, up time.Duration
	slow    bool
}

func (c *setClock) files() time.Duration                   { return c.now }
func (c *setClock) both() (now, up time.Duration, ok bool) { return c.now, c.up, !c.slow }

// pass lets time pass; set sets the clock.
func (c *setClock) pass(d time.Duration) { c.now, c.up = c.now+d, c.up+d }
func (c *setClock) set(d time.Duration)  { c.now += d }

// What changed after the clock was set back has an earlier time, and still counts as changed, also if the
// clock is right again.
func TestSinceAClockIsSet(t *testing.T) {
	const began = 1000 * time.Hour
	for _, c := range []struct {
		name  string
		does  func(c *setClock, s *Since)
		first time.Duration // after the beginning: the first change time that counts
	}{
		{"nothing", func(c *setClock, _ *Since) { c.pass(time.Hour) }, 0},
		{"ahead", func(c *setClock, _ *Since) { c.set(time.Hour) }, 0},
		{"back", func(c *setClock, _ *Since) { c.pass(time.Minute); c.set(-time.Hour) }, -time.Hour - reading},
		{"back and ahead", func(c *setClock, s *Since) {
			c.set(-time.Hour)
			s.look() // as when the timer tells
			c.set(2 * time.Hour)
		}, -time.Hour - reading},
		{"ahead and back", func(c *setClock, s *Since) {
			c.set(time.Hour)
			s.look()
			c.set(-time.Hour)
		}, 0},
		{"back twice", func(c *setClock, s *Since) {
			c.set(-time.Minute)
			s.look()
			c.pass(time.Hour)
			c.set(-time.Minute)
		}, -2*time.Minute - reading},
	} {
		clock := &setClock{now: began, up: time.Hour}
		s := &Since{clock: clock, ahead: began - time.Hour, began: began, at: began}
		c.does(clock, s)
		at := time.Unix(0, int64(began+c.first))
		if s.Unchanged(at) || s.Unchanged(at.Add(time.Hour)) {
			t.Errorf("%s: a change does not count", c.name)
		}
		if !s.Unchanged(at.Add(-1)) {
			t.Errorf("%s: what changed before counts", c.name)
		}
	}
}

// Where nobody knows whether the clock was set, everything has changed.
func TestSinceBySlowClocks(t *testing.T) {
	clock := &setClock{now: time.Hour, up: time.Hour}
	s := &Since{clock: clock, began: time.Hour, at: time.Hour}
	if !s.Unchanged(time.Unix(1, 1)) {
		t.Error("nothing has changed")
	}
	clock.slow = true
	if s.Unchanged(time.Unix(1, 1)) {
		t.Error("nobody knows that")
	}
}

// A change time of whole seconds may be of a change up to a second later.
func TestSinceByWholeSeconds(t *testing.T) {
	clock := &setClock{now: time.Minute + time.Millisecond, up: 0}
	s := &Since{clock: clock, ahead: clock.now, began: clock.now, at: clock.now}
	for _, c := range []struct {
		changed time.Time
		want    bool
	}{{time.Unix(60, 0), false}, {time.Unix(59, 1), true}, {time.Unix(59, 0), true}, {time.Unix(60, 1), true}, {time.Unix(60, 1e6), false}} {
		if got := s.Unchanged(c.changed); got != c.want {
			t.Errorf("%s: unchanged %t", c.changed, got)
		}
	}
}

package world

import (
	"testing"
	"time"
)

// A file system that stores whole seconds gives changes within one the same time.
func TestTicks(t *testing.T) {
	at := time.Unix(1001, 0)
	for name, c := range map[string]struct {
		changed []time.Time
		now     time.Time
		want    time.Duration
	}{
		"nothing":           {now: at},
		"long ago":          {changed: []time.Time{at.Add(-time.Minute), at.Add(-time.Minute + 1)}, now: at},
		"just now":          {changed: []time.Time{at.Add(5 * time.Millisecond)}, now: at.Add(6 * time.Millisecond), want: 19 * time.Millisecond},
		"in this second":    {changed: []time.Time{at}, now: at.Add(300 * time.Millisecond), want: 720 * time.Millisecond},
		"in an even second": {changed: []time.Time{at.Add(-time.Second)}, now: at.Add(300 * time.Millisecond), want: 720 * time.Millisecond},
		"in both":           {changed: []time.Time{at.Add(time.Millisecond), at.Add(-10 * time.Second), at}, now: at.Add(time.Millisecond), want: 1019 * time.Millisecond},
		"ahead":             {changed: []time.Time{at.Add(time.Hour)}, now: at, want: 1020 * time.Millisecond},
	} {
		var ticks Ticks
		for _, changed := range c.changed {
			ticks.Saw(changed)
		}
		if got := ticks.left(c.now); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

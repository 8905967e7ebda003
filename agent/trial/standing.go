package trial

import (
	"errors"
	"time"

	"redline/agent/event"
	"redline/agent/state"
)

// Standing says whether a menu offers trials.
type Standing int

// The standings.
const (
	Unoffered Standing = iota // there are none here, the user has forbidden them, or it is not known yet
	Askable                   // they are possible, and the user has not said yet whether they may be run
	Usable                    // commands can be tried
)

// State returns the standing as clients see it.
func (s Standing) State() string {
	switch s {
	case Usable:
		return state.TrialsAllowed
	case Askable:
		return state.TrialsAsk
	default:
		return state.TrialsNone
	}
}

// standingFor is how long a standing is relied on: the user may allow trials in another process.
const standingFor = 2 * time.Second

// standing is what is known of where trials stand.
type standing struct {
	known  Standing
	checks bool      // the projects of the plans have checks
	at     time.Time // when that was found out, zero for never
	begun  int       // how many looks have begun,
	newest int       // which of them has found out what is known,
	ended  int       // and how many have ended
}

// Standing returns where trials stand, at once: as it was last known. If that is some time ago it
// is found out anew in the background.
func (t *Trials) Standing() Standing {
	if t.options.Mode == Off || t.options.Mode == "" {
		return Unoffered
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := &t.stands; s.begun == s.ended && (s.at.IsZero() || t.session.Now().Sub(s.at) > standingFor) && !t.session.Over() {
		s.begun++
		n := s.begun
		t.session.Spawn(func() { t.look(n) })
	}
	return t.stands.known
}

// ChecksKnown reports whether the projects of the plans, or that at the root, have checks of their
// own, as it was last known: Standing finds it out.
func (t *Trials) ChecksKnown() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stands.checks
}

// lookNow finds out where trials stand, after a change.
func (t *Trials) lookNow() {
	t.mu.Lock()
	t.stands.begun++
	n := t.stands.begun
	t.mu.Unlock()
	t.look(n)
}

// look finds out where trials stand, as the look with number n. The first one builds a world. One
// that has begun before a change knows nothing of it, so what a later one has found stays.
func (t *Trials) look(n int) {
	known := Unoffered
	err := t.Allowed(t.session.Context())
	if none, ok := errors.AsType[*NotAllowed](err); ok && !none.Forbidden && t.Possible() == nil {
		known = Askable
	} else if err == nil {
		known = Usable
	}
	checks := known != Unoffered && len(t.Checks(t.planned()...)) > 0
	t.mu.Lock()
	t.stands.ended++
	before, had := t.stands.known, t.stands.checks
	if n > t.stands.newest {
		t.stands.known, t.stands.checks, t.stands.at, t.stands.newest = known, checks, t.session.Now(), n
	}
	after, has := t.stands.known, t.stands.checks
	t.mu.Unlock()
	if after != before || has != had {
		t.session.Notify(event.Event{Kind: event.TrialsStand, Trials: after.State(), Checks: has})
	}
}

// planned returns the paths of the files of all plans.
func (t *Trials) planned() (paths []string) {
	for _, v := range t.board.Snapshot().Plans {
		for _, f := range v.Files {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

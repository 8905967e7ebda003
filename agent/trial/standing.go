package trial

import (
	"errors"
	"time"

	"redline/agent/state"
)

// Standing says whether a menu offers trials.
type Standing int

// The standings.
const (
	Unoffered Standing = iota // trials are impossible or forbidden, or that is not known yet
	Askable                   // trials are possible, and the user has not answered yet whether they may run
	Usable                    // commands can be tried
)

// State returns the standing in the form that clients see.
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

// standingFor is how long a standing stays valid, since the user may allow trials in another
// process.
const standingFor = 2 * time.Second

// standing is what is known about whether trials are offered.
type standing struct {
	known  Standing
	checks bool      // the projects of the plans have checks
	at     time.Time // when that was found out, zero for never
	begun  int       // number of looks begun
	newest int       // number of the look that the result is from
	ended  int       // number of looks ended
}

// Standing returns at once whether trials are offered, from the last look. If that is too old,
// it starts another look in the background.
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

// ChecksKnown reports whether the projects of the plans, or the one at the root, have checks of
// their own, from the last look of Standing.
func (t *Trials) ChecksKnown() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stands.checks
}

// lookNow looks again, after a change.
func (t *Trials) lookNow() {
	t.mu.Lock()
	t.stands.begun++
	n := t.stands.begun
	t.mu.Unlock()
	t.look(n)
}

// look finds out whether trials are offered, as the look with number n. The first one builds a
// world. A look that began before a change does not know of the change, so it does not replace
// the result of a later one.
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
		t.session.Notify(state.Event{Kind: state.TrialsStand, Trials: after.State(), Checks: has})
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

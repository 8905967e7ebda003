package trial

import (
	"errors"
	"time"
)

// Standing says whether a menu offers trials.
type Standing int

// The standings.
const (
	Unoffered Standing = iota // there are none here, or it is not known yet
	Askable                   // they are possible, and the user has not allowed them here yet
	Usable                    // commands can be tried
)

// standingFor is how long a standing is relied on: the user may allow trials in another process.
const standingFor = 2 * time.Second

// standing is what is known of where trials stand.
type standing struct {
	known  Standing
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
	if _, ask := errors.AsType[*NotAllowed](err); ask && t.Possible() == nil {
		known = Askable
	} else if err == nil {
		known = Usable
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stands.ended++
	if n > t.stands.newest {
		t.stands.known, t.stands.at, t.stands.newest = known, t.session.Now(), n
	}
}

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
	known   Standing
	at      time.Time // when that was found out, zero for never
	looking bool      // it is being found out
}

// Standing returns where trials stand, at once: as it was last known. If that is some time ago it
// is found out anew in the background.
func (t *Trials) Standing() Standing {
	if t.options.Mode == Off || t.options.Mode == "" {
		return Unoffered
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := &t.stands; !s.looking && (s.at.IsZero() || t.session.Now().Sub(s.at) > standingFor) && !t.session.Over() {
		s.looking = true
		t.session.Spawn(t.look)
	}
	return t.stands.known
}

// look finds out where trials stand. The first time it builds a world.
func (t *Trials) look() {
	known := Unoffered
	err := t.Allowed(t.session.Context())
	if _, ask := errors.AsType[*NotAllowed](err); ask && t.Possible() == nil {
		known = Askable
	} else if err == nil {
		known = Usable
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stands = standing{known: known, at: t.session.Now()}
}

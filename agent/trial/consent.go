package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"redline/agent/brief"
	"redline/agent/state"
	"redline/agent/store"
	"redline/workspace"
)

// errOff is the reason why nothing is tried if trials are switched off.
var errOff = errors.New("trials are switched off (trials.mode in your settings)")

// Allowed returns nil if commands may be tried in this workspace now, or the reason, as a
// sentence for the user without its full stop.
func (t *Trials) Allowed(ctx context.Context) error {
	switch {
	case t.options.Replay != "" && offeredIn(t.options.Replay):
		return nil
	case t.options.Replay != "":
		return errors.New("the recording that is replayed has no trials")
	}
	return allowedIn(ctx, t, t.options.Mode)
}

// allowedIn does what Allowed does for a mode.
func allowedIn(ctx context.Context, t *Trials, mode Mode) error {
	if mode == Off || mode == "" {
		return errOff
	}
	if err := t.ws.HidesAll(); err != nil {
		return &Impossible{err}
	}
	folders := t.ws.Folders()
	if len(folders) == 0 {
		return errors.New("no folder is open")
	}
	if mode == On {
		return t.Possible()
	}
	said, err := t.session.Store.TrialFolders(ctx)
	if err != nil {
		return err
	}
	for _, f := range folders {
		if allowed, known := ConsentIn(said, f.Dir); !allowed {
			return &NotAllowed{Folder: f.Dir, Forbidden: known}
		}
	}
	return t.Possible()
}

// ConsentIn returns whether the user lets commands be tried in a folder. known is false if the
// user has not answered or the folder has another owner since. said is the store's record.
func ConsentIn(said map[string]store.TrialFolder, dir string) (allowed, known bool) {
	name, owner := workspace.OwnerOf(dir)
	f, ok := said[name]
	known = ok && f.Owner == owner
	return known && f.Allowed, known
}

// NotAllowed is the error if the user does not let commands be tried.
type NotAllowed struct {
	Folder    string
	Forbidden bool // the user has refused; otherwise they have not answered yet
}

func (e *NotAllowed) Error() string {
	if e.Forbidden {
		return fmt.Sprintf("you have forbidden trials in %s: to allow them, run `redline trials allow`", e.Folder)
	}
	return fmt.Sprintf("trials are not allowed yet in %s: allow them with `redline trials allow`, or with the action beside approving", e.Folder)
}

// Possible returns nil if this system can run trials, or the reason. The first call tests it.
func (t *Trials) Possible() error {
	if err := t.options.Worlds(); err != nil {
		return &Impossible{err}
	}
	return nil
}

// Impossible is the error on a system that cannot run trials, whatever the user says.
type Impossible struct{ Err error }

func (e *Impossible) Error() string { return "there are no trials here, since " + e.Err.Error() }

// Unwrap returns the reason.
func (e *Impossible) Unwrap() error { return e.Err }

// Allow records that commands may be tried in the folders of the workspace.
func (t *Trials) Allow(ctx context.Context) error { return t.consent(ctx, true) }

// Forbid records that no commands may be tried in the folders of the workspace.
func (t *Trials) Forbid(ctx context.Context) error { return t.consent(ctx, false) }

func (t *Trials) consent(ctx context.Context, allowed bool) error {
	defer t.lookNow()
	for _, f := range t.ws.Folders() {
		name, owner := workspace.OwnerOf(f.Dir)
		if err := t.session.Store.SetTrialFolder(ctx, name, store.TrialFolder{Owner: owner, Allowed: allowed}); err != nil {
			return err
		}
		if !allowed {
			t.options.Kept.Forget(realOf(f.Dir))
		}
	}
	if !allowed {
		for _, f := range t.forbidden {
			f()
		}
	}
	return nil
}

// Question returns a command that could be tried, if the user should be asked whether commands
// may be tried: trials are possible, the user has not answered yet, and there is something to
// try. Otherwise ask is false.
func (t *Trials) Question(ctx context.Context) (example string, ask bool) {
	if none, ok := errors.AsType[*NotAllowed](t.Allowed(ctx)); !ok || none.Forbidden {
		return "", false
	}
	example = t.example(ctx)
	return example, example != "" && t.Possible() == nil
}

// example returns a command that could be tried, "" for none: a test of the project, or a
// command of a plan.
func (t *Trials) example(ctx context.Context) string {
	_ = t.board.Follower.Refresh(ctx) // without the store there are still the plans of this session
	found := t.Checks(t.planned()...)
	if i := slices.IndexFunc(found, func(c brief.Check) bool { return strings.Contains(c.Command, "test") }); i >= 0 {
		return found[i].Command
	}
	if len(found) > 0 {
		return found[0].Command
	}
	for _, v := range t.board.Snapshot().Plans {
		if lines := v.Revision.CommandLines(); v.Plan.State.Decidable() && len(lines) > 0 {
			return lines[0].Command
		}
	}
	return ""
}

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

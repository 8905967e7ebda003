package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/agent/brief"
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
	case t.options.Mode == Off || t.options.Mode == "":
		return errOff
	}
	if err := t.ws.HidesAll(); err != nil {
		return &Impossible{err}
	}
	folders := t.ws.Folders()
	if len(folders) == 0 {
		return errors.New("no folder is open")
	}
	if t.options.Mode == On {
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
	_ = t.board.Refresh(ctx) // without the store there are still the plans of this session
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

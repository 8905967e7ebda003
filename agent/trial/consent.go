package trial

import (
	"context"
	"errors"
	"fmt"

	"redline/workspace"
)

// errOff is the reason why there are no trials where they are switched off.
var errOff = errors.New("trials are switched off (trials.mode in your settings)")

// Allowed returns nil if commands may be tried in this workspace now, or why not, as a
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
	folders := t.ws.Folders()
	if len(folders) == 0 {
		return errors.New("no folder is open")
	}
	if t.options.Mode == On {
		return t.Possible()
	}
	allowed, err := t.session.Store.TrialFolders(ctx)
	if err != nil {
		return err
	}
	for _, f := range folders {
		if !AllowedIn(allowed, f.Dir) {
			return &NotAllowed{Folder: f.Dir}
		}
	}
	return t.Possible()
}

// AllowedIn reports whether a folder is one of those in which the user lets commands be tried, and
// still has the same owner. allowed is as the store has it.
func AllowedIn(allowed map[string]int, dir string) bool {
	name, owner := workspace.OwnerOf(dir)
	was, ok := allowed[name]
	return ok && was == owner
}

// NotAllowed is the error where the user has not said yet that commands may be tried.
type NotAllowed struct{ Folder string }

func (e *NotAllowed) Error() string {
	return fmt.Sprintf("you have not said yet that commands may be tried in %s: allow it with `redline trials allow`, or with the action beside approving", e.Folder)
}

// Possible returns nil if this system can run trials, or why not. The first call tries it out.
func (t *Trials) Possible() error {
	if err := t.options.Worlds(); err != nil {
		return fmt.Errorf("there are no trials here, since %w", err)
	}
	return nil
}

// Allow records that commands may be tried in the folders of the workspace.
func (t *Trials) Allow(ctx context.Context) error {
	defer t.lookNow()
	for _, f := range t.ws.Folders() {
		name, owner := workspace.OwnerOf(f.Dir)
		if err := t.session.Store.AllowTrials(ctx, name, owner); err != nil {
			return err
		}
	}
	return nil
}

// Forbid takes back Allow.
func (t *Trials) Forbid(ctx context.Context) error {
	defer t.lookNow()
	for _, f := range t.ws.Folders() {
		name, _ := workspace.OwnerOf(f.Dir)
		if err := t.session.Store.ForbidTrials(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

package trial

import (
	"context"
	"errors"
	"slices"

	"redline/workspace/world"
)

// Beside is for programs that run code of the workspace beside the session, for longer than one command: language
// servers.
type Beside struct{ trials *Trials }

// NewBeside returns what such programs need of the trials of a session.
func NewBeside(t *Trials) Beside { return Beside{t} }

// Allowed does what [Trials.Allowed] does for programs that have a mode of their own. With [Ask]
// they may run where commands may be tried. None runs while traffic is recorded or replayed, since the
// requests must be the same each time.
func (b Beside) Allowed(ctx context.Context, mode Mode) error {
	switch o := b.trials.options; {
	case o.Record != "" || o.Replay != "":
		return errors.New("traffic is recorded or replayed")
	case mode == Ask:
		return b.trials.Allowed(ctx)
	case mode == On:
		return allowedIn(ctx, b.trials, On)
	}
	return errors.New("it is switched off in your settings")
}

// World returns a world for a program: without the texts of a plan, or those that are not saved. programs
// are absolute names of programs that it needs, besides those of PATH.
func (b Beside) World(ctx context.Context, programs []string) (*world.World, error) {
	t := b.trials
	w, found, err := t.newWorld(ctx, programs)
	if err != nil {
		return nil, err
	}
	w.Hidden = slices.Concat(t.withoutShown(found.Names), t.options.Hidden)
	t.showGit(ctx, w, found)
	return w, nil
}

// Hidden returns the files that a world made now would hide since they hold secrets.
func (b Beside) Hidden(ctx context.Context, programs []string) ([]string, error) {
	_, found, err := b.trials.newWorld(ctx, programs)
	return b.trials.withoutShown(found.Names), err
}

// OnForbidden makes f run when the user forbids trials in this session. Call it before the session's first event. f must
// not block.
func (b Beside) OnForbidden(f func()) { b.trials.forbidden = append(b.trials.forbidden, f) }

// PathOf returns the workspace path of a file by its absolute name without links.
func (b Beside) PathOf(name string) (path string, inside bool) { return b.trials.pathOf(name) }

// Withholds reports whether what runs in a world must not see a text: it may hold secrets.
func (b Beside) Withholds(path, text string) bool { return withholds(b.trials.worlds, path, text) }

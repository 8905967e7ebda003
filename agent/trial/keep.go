package trial

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/internal/phrase"
	"redline/workspace/runner"
)

// Kept is what a tried command has changed in the files that are to be kept.
type Kept struct {
	Files      []CapturedFile
	NotCarried []plan.Refused // changes to these files that no plan can have
	Others     []string       // paths of other files that it has changed, sorted: nothing of that is kept
	Why        string         // why nothing is kept, as a sentence, "" if that is not so
}

// Keeping are trials that keep what commands change in some files.
type Keeping struct {
	*Trials
	Globs []string // of paths, or of names at any depth, from the workspace's folder or the command's
}

// Run does what [Trials.Run] does, and returns what the command has changed in the files.
func (t Keeping) Run(ctx context.Context, c Command, texts, without view.TriedTexts, asked string, tell Tell) (*Result, *Kept, error) {
	for _, glob := range t.Globs {
		if !doublestar.ValidatePattern(glob) {
			return nil, nil, fmt.Errorf("%q in keep is not a valid glob: name files like go.sum or gen/**/*.go", glob)
		}
	}
	if err := t.check(ctx, &c); err != nil {
		return nil, nil, err
	}
	paces, given := t.pacesOf(c), c
	given.Timeout = t.limit(c, paces)
	found, err := t.Capture(ctx, Copy{Command: given, Texts: texts}, tell)
	if err != nil {
		return nil, nil, err
	}
	if found.seen.End == runner.Exited || found.seen.End == runner.TimedOut {
		t.spend(c, spent{t.session.Now(), found.seen.took, found.seen.End == runner.Exited})
	}
	return found.seen.result(ctx, t.Trials, c, paces, texts, without, asked), found.kept(t.Globs, c), nil
}

// kept sorts out what is kept.
func (c *Captured) kept(keep []string, of Command) *Kept {
	k := &Kept{}
	switch {
	case c.ExitCode == nil || *c.ExitCode != 0:
		k.Why = "Nothing that it changed is kept, since it failed."
		return k
	case c.Filled:
		k.Why = "Nothing that it changed is kept, since its copy ran full, so files may be cut off: the user can raise trials.disk_mb."
		return k
	}
	for _, f := range c.Files {
		if named(f.Path, keep, of.Cwd) {
			k.Files = append(k.Files, f)
		} else {
			k.Others = append(k.Others, f.Path)
		}
	}
	for _, r := range c.NotCarried {
		if named(r.Path, keep, of.Cwd) {
			k.NotCarried = append(k.NotCarried, r)
		} else if !slices.Contains(k.Others, r.Path) {
			k.Others = append(k.Others, r.Path)
		}
	}
	slices.Sort(k.Others)
	return k
}

// named reports whether globs name a file.
func named(name string, globs []string, cwd string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		glob = strings.TrimPrefix(glob, "./")
		tries := [][2]string{{glob, name}, {path.Join(cwd, glob), name}}
		if !strings.Contains(glob, "/") {
			tries = append(tries, [2]string{glob, path.Base(name)})
		}
		return slices.ContainsFunc(tries, func(t [2]string) bool {
			ok, err := doublestar.Match(t[0], t[1])
			return ok && err == nil
		})
	})
}

// Sentences says what is not kept, a sentence each.
func (k *Kept) Sentences() (all []string) {
	if k.Why != "" {
		return []string{k.Why}
	}
	if len(k.Files)+len(k.NotCarried) == 0 {
		all = append(all, "It changed none of the files to keep.")
	}
	if len(k.NotCarried) > 0 {
		all = append(all, plan.NotCarried(k.NotCarried, maxNamed))
	}
	if len(k.Others) > 0 {
		all = append(all, fmt.Sprintf("Thrown away, since keep does not name them: its changes to %s.", phrase.And(phrase.FirstOf(k.Others, maxNamed, "file"))))
	}
	return all
}

var errFewer = errors.New("it changed more files than a plan has without a question: keep fewer, or run it on a part of the workspace")

// MostKept is how many files a tried command may change in a plan.
const MostKept = 2000

// Bounded refuses to keep very many files.
func (k *Kept) Bounded() error {
	if len(k.Files) > MostKept {
		return errFewer
	}
	return nil
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"redline/agent/decide"
	"redline/agent/share"
	"redline/agent/state"
	"redline/agent/store"
	"redline/edits"
	"redline/internal/phrase"
	"redline/internal/smallfile"
	"redline/workspace/gitremote"
)

// maxPulled is how many plans one command pulls.
const maxPulled = 100

func newPlansPull(s streams, f *workspaceFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "pull [REMOTE] [ID]",
		Short: "Get plans that others have shared",
		Long: `Gets a plan from the Git repository that REMOTE names, by default origin; without an
ID, all plans there that are new or have changed. A plan that is here already gets the
revisions, comments and decisions that it lacks. Nothing is approved and nothing runs:
review it like any other plan. ID is the beginning of a plan's id.`,
		Example: `  redline plans pull
  redline plans pull origin 3f2a9c`,
		Args: between(0, 2, "pull [REMOTE] [ID]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, id := remoteAndID(args)
			return f.withRemote(cmd.Context(), s, name, func(sh *sharing) error { return sh.pull(cmd.Context(), id) })
		},
	}
}

// remoteAndID reads the arguments of pull: one that can only be an id is one.
func remoteAndID(args []string) (remote, id string) {
	switch {
	case len(args) == 2:
		return args[0], args[1]
	case len(args) == 1 && isID(args[0]):
		return "", args[0]
	case len(args) == 1:
		return args[0], ""
	}
	return "", ""
}

// idLength is how many digits the id of a plan has.
const idLength = 32

// isID reports whether a word can only be the id of a plan, or the first twelve digits of one.
func isID(word string) bool {
	return (len(word) == idLength || len(word) == 12) && strings.Trim(word, "0123456789abcdef") == ""
}

func (sh *sharing) pull(ctx context.Context, id string) error {
	wanted, err := sh.wanted(ctx, id)
	if err != nil {
		return err
	}
	if len(wanted) == 0 && !sh.con.quiet {
		fmt.Fprintf(sh.con.out, "%s has no plan that is new here.\n", edits.VisibleLine(sh.remote.Name()))
		return nil
	}
	var plans []state.Plan
	var failed []error
	waits := false
	for _, one := range wanted {
		p, news, from, err := sh.pullOne(ctx, one)
		switch {
		case err != nil && len(wanted) == 1:
			return err
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			failed = append(failed, err)
			fmt.Fprintln(sh.con.err, "redline:", visible(err))
			continue
		}
		plans = append(plans, p)
		waits = waits || !news.None() && p.State == "awaiting_approval"
		if !sh.con.quiet {
			sh.tellPulled(&p, &news, from)
		}
	}
	if sh.con.quiet {
		sh.con.print(map[string]any{"plans": positions.Plans(append([]state.Plan{}, plans...))})
	}
	switch {
	case len(failed) > 0:
		return fmt.Errorf("%s of %d could not be pulled", phrase.Count(len(failed), "plan"), len(wanted))
	case waits:
		return status(exitWaiting)
	}
	return nil
}

// wanted returns the plans of the remote to pull: the one whose id begins so, or all that have
// changed since.
func (sh *sharing) wanted(ctx context.Context, id string) ([]gitremote.Listed, error) {
	if len(id) == idLength {
		return []gitremote.Listed{{ID: id}}, nil
	}
	all, _, err := sh.remote.List(ctx)
	if err != nil {
		return nil, err
	}
	var wanted []gitremote.Listed
	had := sh.notes.read().Had
	for _, one := range all {
		if id == "" && had[sh.notes.key(one.ID)] != one.Object || id != "" && strings.HasPrefix(one.ID, id) {
			wanted = append(wanted, one)
		}
	}
	switch {
	case id != "" && len(wanted) == 0:
		return nil, fmt.Errorf("%s has no plan %s: redline plans list --remote %s shows those it has", sh.remote.Name(), id, sh.remote.Name())
	case id != "" && len(wanted) > 1:
		return nil, fmt.Errorf("%d plans of %s begin with %s: give more of the id", len(wanted), sh.remote.Name(), id)
	case len(wanted) > maxPulled:
		return nil, fmt.Errorf("%s has %d plans that are new here, and %d is the most to pull at once: name one, as redline plans list --remote %s shows them", sh.remote.Name(), len(wanted), maxPulled, sh.remote.Name())
	}
	return wanted, nil
}

// pullOne gets one plan. It approves nothing and runs nothing.
func (sh *sharing) pullOne(ctx context.Context, one gitremote.Listed) (p state.Plan, news decide.News, from gitremote.Commit, err error) {
	d, err := sh.remote.Pull(ctx, one.ID)
	if errors.Is(err, gitremote.ErrMissing) {
		err = fmt.Errorf("%s has no plan %s: redline plans list --remote %s shows those it has", sh.remote.Name(), one.ID, sh.remote.Name())
	}
	if err != nil {
		return p, news, from, err
	}
	name := "the plan " + short12(one.ID) + " of " + edits.VisibleLine(sh.remote.Name())
	if inside, err := share.Decode(d.Text); err == nil && inside.ID != one.ID {
		return p, news, from, fmt.Errorf("%s has another id inside: it is not what it says", name)
	}
	p, news, err = sh.agent.Import(ctx, name, d.Text, decide.From{Who: who(d.Commit), Signature: string(d.Signature)})
	if err == nil {
		sh.notes.note(func(all *sharedFile) { all.Had[sh.notes.key(one.ID)] = d.Object })
	}
	return p, news, d.Commit, err
}

// who names the author of a commit.
func who(c gitremote.Commit) string { return edits.VisibleLine(c.Name + " <" + c.Email + ">") }

// tellPulled prints what is new in a plan, and who sent it.
func (sh *sharing) tellPulled(p *state.Plan, news *decide.News, from gitremote.Commit) {
	out := folding(sh.con.out)
	what := news.Sentence()
	if news.Created {
		what = "It is new here: " + listed(p.Goal) + "."
	}
	fmt.Fprintf(out, "Plan %d, from %s. %s\n", p.Plan, signedBy(from), what)
	if p.State == "awaiting_approval" && !news.None() {
		fmt.Fprintf(out, "It waits for you: redline plans show %d, then approve or reject it.\n", p.Plan)
	}
}

// signedBy names the author of a commit, and says what the signature shows.
func signedBy(c gitremote.Commit) string {
	text := fmt.Sprintf("%s (%s", who(c), c.Signature)
	if c.Signer != "" && c.Signer != c.Email {
		text += ": the key of " + edits.VisibleLine(c.Signer)
	}
	return text + ")"
}

// sharedNotes remembers what the user shares with one remote.
type sharedNotes struct {
	file string // "" for no file
	to   string // the workspace and the remote
}

// sharedFile is what the file of the notes has.
type sharedFile struct {
	Agreed map[string]bool   `json:"agreed"` // the remotes that plans may go to
	Had    map[string]string `json:"had"`    // the last commit of a plan that is here too
}

// Limits of the file of the notes.
const (
	maxSharedFile  = 4 << 20
	maxSharedPlans = 10_000
)

// notesIn returns the notes on a remote of a workspace.
func notesIn(stateDir, workspace string, r *gitremote.Remote) sharedNotes {
	n := sharedNotes{to: workspace + "\x00" + r.PushAddress()}
	if stateDir != "" {
		n.file = filepath.Join(stateDir, store.SharedName)
	}
	return n
}

func (n sharedNotes) key(id string) string { return n.to + "\x00" + id }

func (n sharedNotes) read() sharedFile {
	var all sharedFile
	if text, err := smallfile.Read(n.file, maxSharedFile); err == nil && len(text) <= maxSharedFile {
		_ = json.Unmarshal([]byte(text), &all)
	}
	if all.Agreed == nil {
		all.Agreed = map[string]bool{}
	}
	if all.Had == nil || len(all.Had) > maxSharedPlans {
		all.Had = map[string]string{}
	}
	return all
}

// note changes the notes.
func (n sharedNotes) note(change func(*sharedFile)) {
	if n.file == "" {
		return
	}
	all := n.read()
	change(&all)
	if data, err := json.Marshal(all); err == nil {
		_ = smallfile.Replace(n.file, data, nil)
	}
}

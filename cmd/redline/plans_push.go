package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"redline/agent"
	"redline/agent/share"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/gitremote"
)

func newPlansPush(s streams, f *workspaceFlags) *cobra.Command {
	var with share.With
	var yes bool
	cmd := &cobra.Command{
		Use:   "push N [REMOTE]",
		Short: "Share a plan through the Git remote of the workspace",
		Long: `Puts a plan into the Git repository that REMOTE names, by default origin: all its
revisions with the texts of their files, its comments, decisions and trials. It has a
ref of its own there, refs/redline/plans/ID, so no branch and no plain git push or
fetch has it. What others pushed meanwhile is kept.

Shows first what leaves, and asks once for each remote. Files that git ignores, and
those that may hold secrets, never leave. With --json it prints where the plan is:
plan, id, remote, address, ref, commit, and whether it was sent and merged.`,
		Example: `  redline plans push 1
  redline plans push 1 upstream --yes`,
		ValidArgsFunction: completesFirst(planNumbers),
		Args:              between(1, 2, "push N [REMOTE]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := planNumber(args[0])
			if err != nil {
				return err
			}
			return f.withRemote(cmd.Context(), s, slices.Concat(args[1:], []string{""})[0], func(sh *sharing) error {
				return sh.push(cmd.Context(), n, with, yes)
			})
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&yes, "yes", "y", false, "do not ask whether the plan may leave for this remote")
	flags.BoolVar(&with.Conversation, "with-conversation", false, "also share your prompts and the model's answers")
	flags.BoolVar(&with.Output, "with-output", false, "also share what trials have printed")
	return cmd
}

// between refuses fewer or more arguments.
func between(least, most int, use string) cobra.PositionalArgs {
	return func(_ *cobra.Command, given []string) error {
		if len(given) < least || len(given) > most {
			return usage(fmt.Errorf("the usage is redline plans %s", use))
		}
		return nil
	}
}

// sharing is a command about the plans of a remote.
type sharing struct {
	agent  *agent.Agent
	con    *console
	remote *gitremote.Remote
	notes  sharedNotes
}

// withRemote runs f with the agent of the workspace and with a remote of its repository.
func (f *workspaceFlags) withRemote(ctx context.Context, s streams, name string, run func(*sharing) error) error {
	s = watched(s)
	defer s.line.Close()
	set, ws, err := f.open(s)
	if err != nil {
		return err
	}
	return f.on(set, ws, s, func(a *agent.Agent, con *console) error {
		folders := ws.Folders()
		if len(folders) == 0 {
			return gitremote.ErrNone
		}
		r, err := gitremote.Open(ctx, folders[0].Dir, name, gitremote.Options{Branch: set.settings.Share.Branch, Left: ws.Leftovers()})
		if err != nil {
			return visible(err)
		}
		defer r.Close()
		sh := &sharing{agent: a, con: con, remote: r}
		sh.notes = notesIn(set.settings.StateDir, a.Session.Key(), r)
		return visible(run(sh))
	})
}

// visible makes an error safe to print: it may have what a remote said.
func visible(err error) error {
	if err == nil || errors.As(err, new(status)) || edits.VisibleLine(err.Error()) == err.Error() {
		return err
	}
	return errors.New(edits.VisibleLine(err.Error()))
}

func (sh *sharing) push(ctx context.Context, n int, with share.With, yes bool) error {
	var err error
	if with.By, err = sh.remote.Author(ctx); err != nil {
		return err
	}
	ours, err := sh.agent.Export(ctx, n, with)
	if err != nil {
		return err
	}
	if !sh.con.quiet {
		sh.tellLeaving(n, ours, with)
	}
	if err := sh.consent(ctx, yes); err != nil {
		return err
	}
	p, err := sh.remote.Push(ctx, ours.ID, func(theirs *gitremote.Document) ([]byte, string, error) { return together(ours, theirs) })
	if err != nil {
		return err
	}
	sh.notes.note(func(all *sharedFile) { all.Agreed[sh.notes.to] = true })
	if !p.Merged { // else the remote has something that is not here yet
		sh.notes.note(func(all *sharedFile) { all.Had[sh.notes.key(ours.ID)] = p.Commit })
	}
	if sh.con.quiet {
		sh.con.print(map[string]any{"plan": n, "id": ours.ID, "remote": sh.remote.Name(), "address": sh.remote.PushAddress(), "ref": sh.remote.Ref(ours.ID),
			"commit": p.Commit, "sent": !p.Same, "merged": p.Merged})
		return nil
	}
	name := edits.VisibleLine(sh.remote.Name())
	switch {
	case p.Same:
		fmt.Fprintf(sh.con.out, "%s has all of plan %d already.\n", name, n)
	case p.Merged:
		fmt.Fprintf(sh.con.out, "Plan %d is at %s, joined with what was there: redline plans pull %s %s gets that.\n", n, name, name, short12(ours.ID))
	default:
		fmt.Fprintf(sh.con.out, "Plan %d is at %s: redline plans pull %s %s gets it.\n", n, name, name, short12(ours.ID))
	}
	return nil
}

// short12 shortens the id of a plan.
func short12(id string) string { return id[:min(12, len(id))] }

// together returns the text of a plan with what the remote has of it.
func together(ours *share.Document, theirs *gitremote.Document) (text []byte, title string, err error) {
	title = "plan: " + phrase.ClipWords(phrase.OneLine(ours.Goal), 60)
	if theirs == nil {
		text, err = ours.Encode(false)
		return text, title, err
	}
	there, err := share.Decode(theirs.Text)
	if err != nil {
		return nil, "", fmt.Errorf("the plan at the remote %w", err)
	}
	all, err := share.Merge(ours, there)
	if err != nil {
		return nil, "", fmt.Errorf("the plan at the remote %w", err)
	}
	later := all.Updated
	all.Updated = there.Updated // a pull changes it, too
	if text, err = all.Encode(false); err == nil && !bytes.Equal(text, theirs.Text) {
		all.Updated = later
		text, err = all.Encode(false)
	}
	return text, title, err
}

// tellLeaving says what leaves with a plan, and where it goes.
func (sh *sharing) tellLeaving(n int, d *share.Document, with share.With) {
	out := folding(sh.con.out)
	signed := ""
	if sh.remote.Signs() {
		signed = ", signed"
	}
	fmt.Fprintf(out, "Plan %d goes to %s, %s, from %s%s:\n", n, edits.VisibleLine(sh.remote.Name()), edits.VisibleLine(sh.remote.PushAddress()), edits.VisibleLine(with.By), signed)
	leaves, unsaved := d.Leaves(), sh.unsaved(d)
	table := newTable(sh.con.out)
	for _, file := range leaves.Files {
		more := ""
		if unsaved[file.Path] {
			more = ", with text that is not in the file here"
		}
		fmt.Fprintf(table, "  %s\t%s%s\n", oneLine(file.Path), bytesOf(file.Bytes), more)
	}
	_ = table.Flush()
	parts := []string{phrase.Count(leaves.Revisions, "revision")}
	for _, of := range []struct {
		n    int
		noun string
	}{{leaves.Comments, "comment"}, {leaves.Decisions, "decision"}, {leaves.Trials, "trial"}, {leaves.Outputs, "output of a trial"}, {leaves.Messages, "message of the conversation"}} {
		if of.n > 0 {
			parts = append(parts, counted(of.n, of.noun))
		}
	}
	fmt.Fprintf(out, "That is %s, %s of text.", phrase.And(parts), bytesOf(leaves.Bytes))
	if !with.Conversation {
		fmt.Fprint(out, " The conversation stays here.")
	}
	if leaves.Trials > 0 && !with.Output {
		fmt.Fprint(out, " So does what trials have printed.")
	}
	fmt.Fprintln(out)
}

// bytesOf is size for a few bytes too.
func bytesOf(n int) string {
	if n < 1<<10 {
		return phrase.Count(n, "byte")
	}
	return size(int64(n))
}

// counted counts things whose name may have several words: "2 messages of the conversation".
func counted(n int, noun string) string {
	first, rest, ok := strings.Cut(noun, " ")
	text := phrase.Count(n, first)
	if ok {
		text += " " + rest
	}
	return text
}

// unsaved returns the files whose text, as the plan was made from it, leaves but is not on the disk:
// it may never have been saved.
func (sh *sharing) unsaved(d *share.Document) map[string]bool {
	texts := make(map[string]string, len(d.Texts))
	for _, t := range d.Texts {
		texts[t.Name] = strings.Join(t.Lines, "")
	}
	found := map[string]bool{}
	for i := range d.Revisions {
		for j := range d.Revisions[i].Changes {
			c := &d.Revisions[i].Changes[j]
			if !c.BaseExists {
				continue
			}
			f, err := sh.con.ws.Read(c.Path)
			if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && f.Text != texts[c.Base] && f.Text != texts[c.Proposed] {
				found[c.Path] = true
			}
		}
	}
	return found
}

// consent asks whether plans may leave for the remote, unless the user has agreed before.
func (sh *sharing) consent(ctx context.Context, yes bool) error {
	if yes || sh.notes.read().Agreed[sh.notes.to] {
		return nil
	}
	if !sh.con.asks() {
		return usage(fmt.Errorf("nobody has agreed yet that plans of this workspace go to %s: add --yes", sh.remote.PushAddress()))
	}
	agreed, err := sh.con.confirm(ctx, fmt.Sprintf("Share plans of this workspace with %s", edits.VisibleLine(sh.remote.PushAddress())))
	if err == nil && !agreed {
		fmt.Fprintln(sh.con.out, "Nothing was sent.")
		err = status(exitRefused)
	}
	return err
}

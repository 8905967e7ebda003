package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/outside"
	"redline/edits"
	"redline/internal/phrase"
)

// smallQuestion is what an outside agent is asked when it is set up.
const smallQuestion = "Say in one short sentence what this folder is about. Change nothing."

// runWith sets up an outside agent: it must be installed, the user allows it in this folder, it answers
// one question, and the settings make it the one that does each request.
func (a *asker) runWith(ctx context.Context, name string) error {
	err := a.setUpWith(ctx, name)
	if errors.Is(err, errNothingWritten) {
		return usage(fmt.Errorf("nothing was written: run redline setup --with %s to start again", name))
	}
	return err
}

func (a *asker) setUpWith(ctx context.Context, name string) error {
	set := a.set
	if set.unusable != nil {
		return usage(set.unusable)
	}
	ws, err := set.workspaceIn(".")
	if err != nil {
		return err
	}
	of, err := set.settings.OutsideAgent(name)
	if err != nil {
		return usage(err)
	}
	program, err := of.Find(os.Getenv("PATH"), foldersOf(ws))
	if err != nil {
		return usage(fmt.Errorf("%w: install it, then run redline setup --with %s again", err, name))
	}
	if unsigned := of.Unsigned(os.LookupEnv); unsigned != "" {
		fmt.Fprintf(a.out, "\n!! %s\n", phrase.Sentence(unsigned))
		if yes, err := a.yes(ctx, "Try it anyway?"); err != nil || !yes {
			return cmp.Or(err, usage(fmt.Errorf("nothing was written: %s, then run redline setup --with %s again", outside.SignIn(name), name)))
		}
	}
	fmt.Fprintf(a.out, "\n  %s\n", edits.VisibleLine(of.Words(of.Reach(program), phrase.And(foldersOf(ws)))))
	if yes, err := a.yes(ctx, "Allow that in this folder?"); err != nil || !yes {
		return cmp.Or(err, errNothingWritten)
	}
	answer, err := a.tryAgent(ctx, name)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s works: %s\n", name, edits.VisibleLine(phrase.Clip(phrase.FirstLine(answer, 300), 300)))
	file := set.settings.File
	fmt.Fprintf(a.out, "\n%s gets:\n\n%s\n", file, indent(config.OutsideLines(name)))
	if yes, err := a.yes(ctx, "Write this?"); err != nil || !yes {
		return cmp.Or(err, errNothingWritten)
	}
	if err := config.UseOutside(file, name); err != nil {
		return fmt.Errorf("%s was not changed: %w; add these lines yourself:\n\n%s", file, err, config.OutsideLines(name))
	}
	fmt.Fprintf(a.out, "Written. Try it: redline run 'fix the failing test'\nIf an editor runs Redline already, restart Redline there.\n")
	return nil
}

// tryAgent allows an outside agent in the folder, and returns its answer to a small question.
func (a *asker) tryAgent(ctx context.Context, name string) (string, error) {
	ws, err := a.set.workspaceIn(".")
	if err != nil {
		return "", err
	}
	con := newConsole(a.streams, ws)
	con.quiet = true
	works := a.set.agent(ws, con)
	defer works.Close()
	if _, err := works.Turns.Outsiders.Allow(ctx, name); err != nil {
		return "", err
	}
	fmt.Fprintf(a.out, "\nAsking %s a small question, in a copy …\n", name)
	id, _, err := works.Turns.Send(conversation.Message{Text: smallQuestion, New: true, Mode: "ask", With: name, Client: clientName})
	if err != nil {
		return "", err
	}
	turn, err := await(ctx, works, id)
	if err != nil {
		return "", err
	}
	err = works.Conversations.Failure(id)
	if err == nil && len(turn.Unfinished) > 0 {
		err = errors.New(strings.Join(turn.Unfinished, " "))
	}
	if err != nil {
		return "", fmt.Errorf("%s; nothing was written", phrase.TrimStop(err.Error()))
	}
	if turn.Answer == nil {
		return "", fmt.Errorf("nothing was written, since %s did not answer", name)
	}
	return *turn.Answer, nil
}

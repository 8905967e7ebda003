package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent"
	"redline/agent/chat"
	"redline/agent/state"
	"redline/edits"
	"redline/internal/phrase"
)

// answerTo asks the question of a turn at the terminal, and returns the line typed, ""
// for no answer. The error is that of ctx: the user may stop the program instead.
func (c *console) answerTo(ctx context.Context, turn state.Turn) (string, error) {
	c.answer(*turn.Answer)
	return c.ask(ctx, "\nYour answer: ")
}

// tellWaiting prints how to answer the question with which a run ended.
func (c *console) tellWaiting(kept bool, r *runResult) {
	switch {
	case r.Question == nil:
	case !kept:
		fmt.Fprintln(c.out, "\nThe question was not kept: ask again, and add the answer to your request.")
	default:
		fmt.Fprintf(c.out, "\nRedline waits for your answer: redline run --conversation %s 'ANSWER'\n", edits.Visible(r.Conversation))
	}
}

// tellChosen prints how to go on with a conversation for which a request has chosen something: the
// next run begins another one.
func (c *console) tellChosen(request, conversation string) {
	s, ok, err := chat.ParseSlash(request)
	if ok && err == nil && len(s.Args) > 0 && slices.Contains([]string{"mode", "agent", "decide"}, s.Name) {
		fmt.Fprintf(c.out, "The next run begins another conversation; to continue this one: redline run --conversation %s 'REQUEST'\n", edits.Visible(conversation))
	}
}

// ask prints a prompt and reads a line.
func (c *console) ask(ctx context.Context, prompt string) (string, error) {
	line, _, err := c.read(ctx, prompt)
	return line, err
}

// read is like ask, and also reports whether the input has ended, so that no more answers
// can come.
func (c *console) read(ctx context.Context, prompt string) (line string, closed bool, err error) {
	defer c.line.Hold()()
	c.line.Break()
	fmt.Fprint(c.err, prompt)
	type typed struct {
		line   string
		closed bool
	}
	read := make(chan typed, 1)
	go func() { // runs until the program ends if no answer comes
		line, err := c.lines.ReadString('\n') // a closed input counts as no answer
		read <- typed{strings.TrimSpace(line), err != nil && line == ""}
	}()
	select {
	case t := <-read:
		c.line.Fresh()
		c.mu.Lock()
		c.spoke = true // a reply begins below a blank line
		c.mu.Unlock()
		return t.line, t.closed, nil
	case <-ctx.Done():
		fmt.Fprintln(c.err)
		return "", false, ctx.Err()
	}
}

// askTrials asks the user at the terminal whether models may try commands in this
// workspace, if trials are possible and the user has not decided yet. The error is that
// of ctx.
func askTrials(ctx context.Context, a *agent.Agent, c *console) error {
	example, ask := a.Trials.Question(ctx)
	if !ask {
		return nil
	}
	answer, err := c.Ask(ctx, state.Question{
		Text:    fmt.Sprintf("May models try commands, such as `%s`, in an isolated copy of this workspace before you approve anything?", phrase.Clip(phrase.OneLine(example), 60)),
		Options: []string{"yes", "no", "later"},
	})
	if err != nil {
		return errInterrupted
	}
	switch answer.Choice {
	case "yes":
		err = a.Trials.Allow(ctx)
	case "no":
		if err = a.Trials.Forbid(ctx); err == nil {
			fmt.Fprintln(c.err, "Commands are not tried here. `redline trials allow` allows it.")
		}
	}
	if err != nil { // the turn does not depend on it
		fmt.Fprintln(c.err, "redline:", err)
	}
	return nil
}
